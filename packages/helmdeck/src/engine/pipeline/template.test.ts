import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate, stepsReferredTo } from './template.ts';

const scope = {
  inputs: { name: 'Ada', n: 5, list: ['a', { b: 'c' }], nothing: null, deep: { x: { y: true } } },
  outputs: new Map<string, unknown>([
    ['first', { text: 'hi', items: [1, 2], 'dash-ed': 1 }],
    ['plain', 'text'],
  ]),
};

describe('templates', () => {
  it.each([
    ['${{ inputs.n }}', 5],
    ['${{inputs.list[1].b}}', 'c'],
    ['${{ inputs.nothing }}', null],
    ['${{ inputs }}', scope.inputs],
    ['${{ steps.first.output.items }}', [1, 2]],
    ['${{ steps.first.output.dash-ed }}', 1],
    ['${{ steps.plain.output }}', 'text'],
    ['Hello ${{ inputs.name }}, ${{ inputs.n }} times', 'Hello Ada, 5 times'],
    ['${{ inputs.name }}${{ inputs.name }}', 'AdaAda'],
    ['as JSON: ${{ inputs.deep }}', 'as JSON: {"x":{"y":true}}'],
    ['$ {{ inputs.n }} and {{ inputs.n }}', '$ {{ inputs.n }} and {{ inputs.n }}'],
    ['an optional ${{ inputs.missing }}.', 'an optional .'],
    [{ a: '${{ inputs.missing }}', b: 1, c: '${{ inputs.missing.deeper }}' }, { b: 1 }],
    [
      ['${{ inputs.missing }}', 1],
      [null, 1],
    ],
    [
      { deep: [{ a: '${{ inputs.n }}' }], n: 1, t: true, x: null },
      { deep: [{ a: 5 }], n: 1, t: true, x: null },
    ],
  ])('the template %j is filled to %j', (template, value) => {
    expect(fillTemplate(template, scope)).toEqual(value);
  });

  it.each([
    '${{ inputs.deep.z }}',
    '${{ inputs.name.length }}',
    '${{ inputs.list[9] }}',
    '${{ inputs.list.length }}',
    '${{ inputs.deep.constructor }}',
    '${{ inputs.deep.__proto__ }}',
    '${{ steps.first.output.none }}',
    '${{ steps.later.output }}',
    'inside ${{ steps.first.output.items[2] }}',
  ])('the template %s fails because its reference does not resolve', (template) => {
    expect(() => fillTemplate(template, scope)).toThrow(expect.objectContaining({ reason: 'bad_reference' }));
  });

  const sly = 'x","private":false,"y":"';
  it.each([
    ['inside a JSON string', '{"title":"${{ inputs.v }}"}', sly, JSON.stringify({ title: sly })],
    ['as a JSON value', '{"title":${{ inputs.v }}}', sly, JSON.stringify({ title: sly })],
    ['as a JSON number', '{"n":${{ inputs.v }}}', 5, '{"n":5}'],
    [
      'in a query',
      'https://a.example/s?q=${{ inputs.v }}&n=1',
      'a&scope=all#',
      'https://a.example/s?q=a%26scope%3Dall%23&n=1',
    ],
    [
      'in a path',
      'https://a.example/${{ inputs.v }}/raw',
      'own er/name?x',
      'https://a.example/own%20er/name%3Fx/raw',
    ],
    [
      'as JSON beside a placeholder',
      '{"n":${vault:k},"t":"${{ inputs.v }}"}',
      sly,
      `{"n":${'${vault:k}'},"t":${JSON.stringify(sly)}}`,
    ],
    ['in lines of JSON', '{"t":"${{ inputs.v }}"}\n{"b":1}', sly, `${JSON.stringify({ t: sly })}\n{"b":1}`],
    ['in plain text', 'He said "${{ inputs.v }}"', 'a&b', 'He said "a&b"'],
  ])('a value %s is escaped for where it stands', (_where, template, v, filled) => {
    expect(fillTemplate(template, { ...scope, inputs: { v } })).toBe(filled);
  });

  it.each([
    ['https://a.example/a/${{ inputs.v }}', '../b'],
    ['https://a.example/a/${{ inputs.v }}/y', 'x/../../admin?z=1'],
    ['https://a.example/a/.${{ inputs.v }}', './admin'],
    ['https://a.example/a/${{ inputs.v }}', '.'],
    ['https://a.example/a/%2e${{ inputs.v }}', '.'],
  ])('the URL %s with the value %s, which leads upwards, is refused', (template, v) => {
    expect(() => fillTemplate(template, { ...scope, inputs: { v } })).toThrow(
      expect.objectContaining({ reason: 'bad_reference' }),
    );
  });

  it('a placeholder that two outputs make together is reported as data, and one of the author is not', () => {
    const outputs = new Map<string, unknown>([['a', { head: '${vault', tail: 'free}' }]]);
    const seen: unknown[] = [];
    const template = '${vault:mine} ${{ steps.a.output.head }}:${{ steps.a.output.tail }}';
    fillTemplate(template, { inputs: {}, outputs, onOutput: (value) => seen.push(value) });
    expect(seen).toEqual([' ${vault:free}']);
  });

  const form = 'application/x-www-form-urlencoded';
  it.each([form, '${{ inputs.type }}', '${{ inputs.type }}; charset=utf-8'])(
    'a value in the body of a form whose type is %s is encoded',
    (type) => {
      const request = { body: 'a=1&b=${{ inputs.v }}', headers: { 'Content-Type': type } };
      expect(fillTemplate(request, { ...scope, inputs: { v: 'x&admin=1', type: form } })).toMatchObject({
        body: 'a=1&b=x%26admin%3D1',
      });
    },
  );

  it.each([
    'application/xml',
    'text/xml; charset=utf-8',
    'application/soap+xml',
    'Text/HTML',
    '${{ inputs.type }}',
  ])('a value in a body of the type %s can end neither its element nor its attribute', (type) => {
    const request = {
      headers: { 'content-type': type },
      body: '<a to="${{ inputs.v }}" n=\'${{ inputs.v }}\'>${{ inputs.v }}<![CDATA[${{ inputs.end }}]]></a>',
    };
    const inputs = { v: '"\'><admin/>&amp;', end: ']]><b/>', type: 'application/xml' };
    const escaped = '&quot;&apos;&gt;&lt;admin/&gt;&amp;amp;';
    expect(fillTemplate(request, { ...scope, inputs })).toMatchObject({
      body: `<a to="${escaped}" n='${escaped}'>${escaped}<![CDATA[]]&gt;&lt;b/&gt;]]></a>`,
    });
  });

  describe('a multipart body', () => {
    const part = (name: string, value: string) =>
      `--b-1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const fillBody = (body: string, inputs: Record<string, unknown>) => {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b-1' };
      return (fillTemplate({ headers, body }, { ...scope, inputs }) as { body: string }).body;
    };

    it('a value in the headers of a part can end neither the line nor the quotes', () => {
      const inputs = { n: 'a"; filename="x\r\n\r\nadmin' };
      const body = `${part('first', 'one')}${part('${{ inputs.n }}', 'two')}--b-1--\r\n`;
      expect(fillBody(body, inputs)).toBe(
        `${part('first', 'one')}${part('a%22; filename=%22x%0D%0A%0D%0Aadmin', 'two')}--b-1--\r\n`,
      );
    });

    it('a value in the content of a part stays as it is', () => {
      const inputs = { v: 'a "b"\r\n\r\n<c>' };
      expect(fillBody(`${part('n', '${{ inputs.v }}')}--b-1--`, inputs)).toBe(
        `${part('n', 'a "b"\r\n\r\n<c>')}--b-1--`,
      );
    });

    it.each([
      { v: '\r\n--b-1\r\nContent-Disposition: form-data; name="admin"\r\n\r\n1', w: '' },
      { v: 'x\r\n--b', w: '-1--' },
    ])('values that add a delimiter are refused: %j', (inputs) => {
      expect(() => fillBody(`${part('n', '${{ inputs.v }}${{ inputs.w }}')}--b-1--`, inputs)).toThrow(
        /must not contain its boundary/,
      );
    });
  });

  it('a value in a text that begins with an XML declaration is escaped, and in other text it is not', () => {
    const inputs = { v: '<b>&' };
    expect(fillTemplate('<?xml version="1.0"?><a>${{ inputs.v }}</a>', { ...scope, inputs })).toBe(
      '<?xml version="1.0"?><a>&lt;b&gt;&amp;</a>',
    );
    const request = { headers: { 'content-type': 'text/plain; of=/xml' }, body: 'is ${{ inputs.v }}' };
    expect(fillTemplate(request, { ...scope, inputs })).toMatchObject({ body: 'is <b>&' });
  });

  it('a field for a URL may begin with a reference, and what follows is encoded', () => {
    const template = {
      url: '${{ inputs.base }}/find?q=${{ inputs.q }}',
      key: '${{ inputs.base }}/${{ inputs.q }}',
    };
    const inputs = { base: 'https://a.example', q: 'a b&c' };
    expect(fillTemplate(template, { ...scope, inputs })).toEqual({
      url: 'https://a.example/find?q=a%20b%26c',
      key: 'https://a.example/a b&c',
    });
  });

  it('values that come from outputs of steps are reported, and inputs are not', () => {
    const seen: unknown[] = [];
    const onOutput = (value: unknown) => seen.push(value);
    fillTemplate(['${{ inputs.name }}', 'say ${{ steps.first.output.text }}'], { ...scope, onOutput });
    expect(seen).toEqual(['say hi']);
  });

  it('references inside input values are not expanded', () => {
    const inputs = { sly: '${{ steps.first.output.text }}' };
    expect(fillTemplate('${{ inputs.sly }} ${{ inputs.sly }}', { ...scope, inputs })).toBe(
      '${{ steps.first.output.text }} ${{ steps.first.output.text }}',
    );
    expect(fillTemplate('${{ inputs.sly }}', { ...scope, inputs })).toBe(inputs.sly);
  });

  it('a template that is one reference keeps the type of the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fillTemplate({ v: '${{ inputs.v }}' }, { inputs: { v: value }, outputs: new Map() })).toEqual({
          v: value,
        });
      }),
    );
  });

  it('a template of nested headers is filled in one pass', () => {
    let nested: object = { v: '${{ steps.first.output.text }}' };
    for (let depth = 0; depth < 12; depth++) nested = { headers: nested };
    let count = 0;
    fillTemplate(nested, { ...scope, onOutput: () => count++ });
    expect(count).toBe(1);
  });

  it('a template without references is unchanged', () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => !JSON.stringify(value).includes('${{')),
        (value) => {
          expect(fillTemplate(value, scope)).toEqual(value);
        },
      ),
    );
  });
});

describe('the references of a template', () => {
  it('references to steps are found at any depth', () => {
    expect(stepsReferredTo({ a: ['${{ steps.x.output }}', { b: 'n ${{ steps.y.output.z }}' }] })).toEqual([
      'x',
      'y',
    ]);
  });

  it.each([
    '${{ env.HOME }}',
    '${{ steps.x }}',
    '${{ steps.x.input }}',
    '${{ inputsx }}',
    '${{ inputs. }}',
    '${{ inputs.a b }}',
    '${{ inputs[x] }}',
    '${{ }}',
    '${{ inputs.a',
    '${{ inputs.{a} }}',
  ])('the malformed reference %s is refused', (template) => {
    expect(() => stepsReferredTo({ a: template })).toThrow(
      expect.objectContaining({ code: 'invalid_pipeline', reason: 'bad_reference' }),
    );
  });

  it('a template nested deeper than 64 levels is refused', () => {
    let deep: unknown = 'x';
    for (let n = 0; n < 70; n++) deep = [deep];
    expect(() => stepsReferredTo(deep)).toThrow('64');
    expect(() => fillTemplate(deep, scope)).toThrow('64');
  });
});
