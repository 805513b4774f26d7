/**
 * English forms that no rule of a stemmer leads back to their base: a question says "run", the fact "ran". Left out are
 * forms that are words of their own as often ("rose", "ground", "bound"), and those that begin with another letter than
 * their base ("went"), because snippets look for stems by their first letter.
 */
const FORMS = `
  begin began begun | become became | bend bent | bite bitten | bleed bled | blow blew blown | break broke broken |
  breed bred | bring brought | build built | burn burnt | buy bought | catch caught | choose chose chosen | cling clung |
  come came | creep crept | deal dealt | dig dug | draw drew drawn | dream dreamt | drink drank drunk |
  drive drove driven | eat eaten | fall fell fallen | feed fed | feel felt | fight fought | find found | flee fled |
  fly flew flown | forbid forbade forbidden | forget forgot forgotten | forgive forgave forgiven | freeze froze frozen |
  give gave given | go goes gone | grow grew grown | hang hung | hear heard | hide hid hidden | hold held | keep kept |
  kneel knelt | know knew known | lead led | leap leapt | learn learnt | leave left | lend lent | lose lost | make made |
  mean meant | meet met | mistake mistook mistaken | overcome overcame | pay paid | ride rode ridden | ring rang rung |
  run ran | say said | see saw seen | seek sought | sell sold | send sent | shake shook shaken | shine shone |
  shoot shot | show shown | shrink shrank shrunk | sing sang sung | sink sank sunk | sit sat | sleep slept | slide slid |
  smell smelt | speak spoke spoken | speed sped | spell spelt | spend spent | spill spilt | spin spun | stand stood |
  steal stole stolen | stick stuck | sting stung | strike struck | swear swore sworn | sweep swept | swim swam swum |
  swing swung | take took taken | teach taught | tear tore torn | tell told | think thought | throw threw thrown |
  understand understood | wake woke woken | wear wore worn | weave wove woven | weep wept | win won |
  withdraw withdrew withdrawn | write wrote written |
  child children | foot feet | goose geese | knife knives | man men | mouse mice | shelf shelves | thief thieves |
  tooth teeth | wife wives | wolf wolves | woman women
`;

/** The base form of an irregular one. */
export const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  FORMS.split('|').flatMap((group) => {
    const [base, ...forms] = group.trim().split(/\s+/);
    return forms.map((form) => [form, base!] as const);
  }),
);
