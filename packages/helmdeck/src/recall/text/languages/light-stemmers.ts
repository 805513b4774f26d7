// Light stemmers: they take off the endings of inflection, so that a question and a fact with other endings meet. Words
// come lower-case and without accents (`foldWord`). A stem need not be a word; it must be the same for all its forms.

export type Stemmer = (word: string) => string;

/** Takes off the longest of these endings that leaves at least `minLength` letters. */
export function ending(endings: string, minLength: number): Stemmer {
  const longestFirst = endings
    .trim()
    .split(/\s+/)
    .sort((a, b) => b.length - a.length);
  return (word) => {
    const found = longestFirst.find((each) => word.length - each.length >= minLength && word.endsWith(each));
    return found === undefined ? word : word.slice(0, word.length - found.length);
  };
}

const inOrder =
  (...steps: readonly Stemmer[]): Stemmer =>
  (word) =>
    steps.reduce((stem, step) => step(stem), word);

const replacing =
  (pattern: RegExp, by: string | ((found: string) => string)): Stemmer =>
  (word) =>
    typeof by === 'string' ? word.replace(pattern, by) : word.replace(pattern, by);

/**
 * Participles lose their "ge", which may stand after a prefix: eingeräumt, einräumen. Umlauts that are typed as two
 * letters become one: Ueberweisung. Then inflection, then what makes nouns and adjectives: Sicherung, sichern, sicher.
 */
export const german = inOrder(
  replacing(/(?<![aeq])ue|oe|ae/g, (umlaut) => umlaut[0]!),
  replacing(
    /^((?:ab|an|auf|aus|bei|ein|fehl|her|hin|mit|nach|um|vor|weg|zu|zuruck|zusammen)?)ge(?=\p{L}{3,}(?:[^i]t|en)(?:e|e[mnrs])?$)/u,
    '$1',
  ),
  ending('innen in', 5),
  ending('e en er es em ern ens s n st t te ten test tet est et', 3),
  ending('ung ungen heit keit lich isch ig end', 4),
  ending('e en er', 4),
);

export const french = inOrder(
  ending('s x', 3),
  ending('ement ation ateur atrice ition eur euse if ive ique ite age ance ence able iste isme', 4),
  ending(
    'issent issons issez aient erons eront erait ions ons ent ant ait ais iez era ees ee er ez ir re it ie e i a',
    3,
  ),
  replacing(/(.)\1$/, '$1'),
);

export const spanish = inOrder(
  ending('mente', 4),
  ending(
    'aciones acion iciones icion ciones cion amiento imiento adores ador adoras adora encia encias ancia ancias idad idades',
    3,
  ),
  ending(
    'ariamos aremos eremos iremos abamos ieron iendo aron ando ados adas idos idas amos emos imos aban aba ado ada ido ida ian ia ara era ira ar er ir an en as es os is a e i o s',
    3,
  ),
);

export const italian = inOrder(
  ending('mente', 4),
  ending(
    'azioni azione izioni izione zioni zione amento amenti imento imenti atore atori atrice atrici enza enze anza anze ita',
    3,
  ),
  ending(
    'avano evano ivano arono erono irono eranno iranno eremo iremo erai irai era ira ero iro ando endo iamo ate ete ite ato ata ati uto uta uti ito ita iti are ere ire ano ono ava eva iva ero a e i o',
    3,
  ),
  replacing(/h$/, ''),
);

export const portuguese = inOrder(
  ending('mente', 4),
  ending(
    'acoes acao icoes icao coes cao amento imento adores ador adoras adora encia encias ancia ancias idade idades',
    3,
  ),
  ending(
    'avamos aremos eremos iremos aram eram iram ando endo indo ados adas idos idas amos emos imos avam ava ado ada ido ida iam ia ara era ira ou ei eu iu ar er ir am em oes aos aes ao as es os is a e i o m s u',
    3,
  ),
);

/** Participles as in German: opgeruimd, opruimen. Endings, then the spelling that depends on them: lopen, loopt; bakken, bakt. */
export const dutch = inOrder(
  replacing(/^((?:aan|af|bij|in|mee|na|om|op|over|toe|uit|voor|weg)?)ge(?=[a-z]{3,}(?:[dt]e?|en)$)/, '$1'),
  ending('heden heid ingen ing elijk lijk tje tjes', 4),
  ending('en e s t te ten d de den er ers', 3),
  replacing(/([aeou])\1/g, '$1'),
  replacing(/([^aeiou])\1$/, '$1'),
);

/** Russian as `foldWord` writes it: without the breve of й. */
export const russian = inOrder(
  ending('ся сь', 3),
  ending(
    'ыми ими ого его ому ему ыи ии ои еи ая яя ую юю ое ее ые ие ою ею ых их ым им ем ом ов ев ам ям ами ями ах ях иями иях ием иеи ию ия ья ье ью ь а е и о у ы ю я',
    3,
  ),
  ending(
    'ировать ировал ирова овать овал ивал ывал ают яют уют ишь ешь ите ете ать ять еть ить уть ала ила ела ал ял ел ил ул ут ют ат ят ет ит ем им н нн ен ост ость',
    3,
  ),
  replacing(/ь$/, ''),
  replacing(/нн$/, 'н'),
);

const turkishEndings = ending(
  `lerimiz larimiz leriniz lariniz lerinden larindan lerinde larinda lerini larini lerine larina leri lari lerin larin
   lerde larda lerden lardan lere lara ler lar imizin imiz umuz iniz unuz inden undan inde unda indan inda nin nun sinin
   sunun sinda sinde sindan sinden sini sunu sine suna si su ini unu ina ine una in un im um yi yu ye ya de da te ta den
   dan ten tan le la yle yla i u e a
   iyoruz uyoruz iyorsun iyorlar iyor uyor yor ecegiz acagiz ecek acak digimiz dugumuz tigimiz digi dugu tigi dik tik
   duk tuk mektir maktir mek mak meli mali mis mus di du ti tu ir ur er ar en an ip up se sa`,
  3,
);

/** Suffixes follow one another: ev-ler-imiz-den. Then the consonant that softens before them: kitap, kitabı. */
export const turkish = inOrder(
  turkishEndings,
  turkishEndings,
  turkishEndings,
  replacing(/g$/, 'k'),
  replacing(/d$/, 't'),
  replacing(/b$/, 'p'),
  replacing(/[aeiou]$/, ''),
);
