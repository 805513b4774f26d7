// Word lists of conflict detection. Data only: `words.ts` compiles them into a sense for each word.

/** The words of a line. */
export const list = (text: string) => text.trim().split(/\s+/);
const groups = (text: string) =>
  text
    .trim()
    .split(/\s*\n\s*/)
    .map(list);

/** One group per line; its first word is the canonical one. */
export const SYNONYMS = groups(`
  color colour
  favorite favourite
  organization organisation
  center centre
  gray grey
  tire tyre
  postgres postgresql psql
  kubernetes k8s
  javascript js
  typescript ts
  golang go-lang
  database db databases
  repository repo repos
  production prod prd
  staging stg
  configuration config
  application app
  environment env
  child children kid kids
  mother mum mom
  father dad
  manager boss
  apartment flat
  leave depart departs
  start begin begins
  end finish finishes
  buy purchase
  fix repair
  image images
  build builds building built
  write writes written wrote
  choose chosen chose
  keep kept
  go goes going gone
  store stored storing
  hold held
  run runs running
  vscode code-oss
  windows win
  maximum max
  minimum min
  information info
  documentation docs doc
  engineer engineers eng
  own owner owners
  send sent
  get got gotten
  give gave given
  take took taken
  make made
  speak spoke spoken
  drive drove driven
  teach taught
  meet met
  win won
  lose lost
  eat ate eaten
  wear wore worn
  grow grew grown
  find found
  sell sold
  break broke broken
  know knew known
  spend spent
  sleep slept
  lead led leader
  in im ins
  on auf
  by von vom durch
  with mit
  for für
  as als
  to nach zu zum zur
  at bei beim
  until bis
  since seit ab
  have hat haben habe
  use verwenden verwendet verwende benutzt benutzen benutze nutzen nutzt nutze
  live wohnt wohnen wohne lebt leben lebe
  work arbeitet arbeiten arbeite
  run läuft laufen
  host hosten hostet gehostet
  store gespeichert abgelegt
  write geschrieben schreibt schreiben
  prefer bevorzugt bevorzugen
`);

export const COPULAS = list(`is are was were be been being am equals = -> → becomes became remains stays means
   ist sind sei wird werden bleibt heißt lautet beträgt costs kostet`);
export const NEGATORS = list(
  `not never no cannot cant dont doesnt didnt isnt arent wasnt werent wont shouldnt mustnt couldnt wouldnt
   neednt without neither nor none nicht kein keine keinen keinem keiner nie niemals ohne`,
);
export const PREPOSITIONS = list(
  `in on at by to for from with via through as of into onto under within after before during until till since
   about per over between than around near behind using toward towards against inside im ins auf von vom durch mit
   für als nach zu zum zur bei beim bis seit ab um aus über unter zwischen`,
);
export const FILLERS = list(
  `a an the this that these those i me my mine we our ours you your he she it its they them their his her him
   user users there here and or but so also just still really very quite only please always usually typically
   generally normally currently now today nowadays already simply actually basically exactly approximately
   roughly recently lately mostly mainly specifically probably definitely sure ok do does did doing done has been having will would shall should can could may might must
   let lets who whom which what when where how all any every each some both own it's i'm we're etc both either
   same such then else more most much many lot lots again ever mr mrs ms sir madam thing things way kind sort
   note reminder remember fyi regarding important total overall entire whole per-se set current as-is able called named
   out jeder jede jedes der die das den dem des ein eine einen einem einer eines und oder wir ich er sie es uns unser unsere unseren mein
   meine meinen ihr ihre ihren seine seinen sich auch noch jetzt immer bitte dass gern gerne mehr sehr nun aktuell
   derzeit schon nur dort hier herr frau befindet kann können soll sollen muss müssen darf dürfen`,
);
/** Never fillers: they make another statement ("next month is Luis"). */
export const TIME_WORDS = list(`next last previous tomorrow yesterday tonight upcoming former old new`);
export const LIGHT_VERBS = list(
  `have has had having use uses used using take takes need needs run runs go goes get gets got make makes made keep put want
   wants give gives happen happens come comes work works do include prefer prefers like likes allow require located
   based live lives see try say says tell call name hat haben habe verwenden verwendet verwende benutzt benutzen
   benutze nutzen nutzt nutze place statt findet beginnt startet`,
);

/** Antonyms, positive and negative; the first positive word is the canonical one. */
export const OPPOSITES: readonly [string, string][] = [
  [
    'use prefer allow allowed approve approved approves permit permitted permissible fine okay accept accepted acceptable welcome recommended recommend erlaubt gestattet zulässig',
    'avoid forbid forbidden ban banned prohibit prohibited block blocked disallow disallowed reject rejected refuse refused discourage discouraged skip stop verboten untersagt unzulässig',
  ],
  [
    'enabled enable active activated activate aktiv aktiviert eingeschaltet',
    'disabled disable inactive deactivated deactivate inaktiv deaktiviert ausgeschaltet abgeschaltet',
  ],
  [
    'need needs needed require requires required mandatory compulsory obligatory necessary',
    'optional unnecessary unneeded',
  ],
  ['like likes love loves enjoy enjoys', 'dislike dislikes hate hates loathe'],
  ['public öffentlich', 'private privat'],
  ['open opened offen geöffnet', 'closed shut geschlossen'],
  ['include includes included including', 'exclude excludes excluded excluding omit omits omitted'],
  ['true', 'false'],
  ['visible shown', 'hidden invisible'],
  ['possible', 'impossible'],
  ['available', 'unavailable'],
  ['safe', 'unsafe'],
  ['legal', 'illegal'],
  ['locked lock', 'unlocked unlock'],
  ['supported support supports', 'unsupported'],
  ['encrypted', 'unencrypted'],
  ['paid', 'unpaid'],
  ['agree agrees', 'disagree disagrees'],
  ['trust trusts', 'distrust distrusts'],
  ['stable', 'unstable'],
  ['signed', 'unsigned'],
];
/** The canonical word of the antonyms that only mean doing; they hardly count for the frame ("never put", "fine to put"). */
export const DOING = 'use';

/** Nouns with one answer at a time: two different ones conflict. */
export const SINGULAR_NOUNS = list(
  `manager lead leader head chief owner maintainer contact assignee reviewer approver supervisor mentor director
   president ceo cto coach teacher doctor dentist lawyer landlord husband wife spouse partner fiancee roommate
   framework library database engine language runtime editor ide shell terminal browser theme font mode palette
   color logo license licence provider vendor host hosting registry registrar warehouse broker queue cloud region
   zone cluster branch bucket prefix suffix domain hostname subdomain url endpoint address email phone number
   timezone locale currency calendar format style convention spelling standard unit scheme strategy policy tool
   toolchain bundler linter formatter compiler orchestrator scheduler monorepo stack platform model backend frontend
   name nickname surname title role job position employer company school university major birthplace hometown
   nationality citizenship religion birthday anniversary age height weight size deadline date day time start end
   due schedule cadence frequency budget limit quota threshold target goal price cost rent salary rate fee
   port version password policy mascot motto capital captain venue location office headquarters room seat gate
   airline hotel airport bank account insurer insurance plan plate model brand make car bike gym diet order dish
   drink food coffee tea team song book movie film band genre sport hobby pet breed primary secondary default
   favorite preferred usual main official runner client gateway proxy balancer cache storage medium channel
   wallpaper signature greeting pronoun pronouns blood type status medication dose dosage reason cause root
   approach method level timeout interval retention algorithm protocol encoding destination origin keyboard layout
   distribution distro os system path script command leiter leiterin teamleiter teamleiterin chef chefin lieblingsfarbe farbe datenbank
   sprache standort adresse geburtstag alter arzt ärztin hausarzt hausärztin zahnarzt anbieter`,
);
/** Prepositions, and the verbs before them that have one answer at a time: "owned by", "lives in". */
export const FIXING_VERBS: readonly [string, string][] = [
  [
    'in',
    `live reside locate base host store keep manage write run build serve log track park sit stand format display show
     measure handle archive publish install work employ define register hold answer reply respond speak implement
     develop`,
  ],
  ['at', 'live work host locate stand employ study base park sit'],
  ['on', 'host run build base deploy publish mount serve install'],
  [
    'to',
    'report belong go push deploy send route set ship assign bill charge publish log pin bind archive register',
  ],
  [
    'by',
    `own manage maintain lead run build write handle organize coordinate monitor mentor supervise administer translate approve review cause power host serve pay teach process provide
     operate supply deliver develop design fund issue`,
  ],
  [
    'via through with use',
    `deploy go send build manage process route handle pay ship run publish format measure authenticate provision monitor
     encrypt sign`,
  ],
  ['for', 'work'],
  ['as', 'work serve'],
  ['under', 'license publish run'],
  // Without a preposition: "drives a Volvo".
  ['', 'drive study'],
  ['after', 'name'],
];
export const CHOOSING_VERBS = list(
  `use uses using prefer prefers choose pick want wants default go adopt adopted standardize`,
);
export const ONCE_VERBS = list(
  `founded born died launched released joined hired married established opened closes closed close expires expired
   expire due starts started start ends ended end begins retired graduated signed lasted last scheduled planned
   moved happened collected caused created incorporated renewed elected shipped paid retained runs leave leaves`,
);
export const DESCRIPTIVE = list(
  `good bad great nice fine slow fast quick big small large huge tiny busy away sick ill ready late early easy hard
   difficult simple complex important critical new old young happy sad tired hungry cheap expensive free full empty
   flaky broken stable unstable clean dirty strict strong weak hot cold warm cool loud quiet long short high low
   better worse best worst available offline online up down done wrong right correct true false kind friendly
   responsible famous popular useful useless fragile reliable smart clever funny helpful amazing awesome proud
   excited nervous worried grateful passionate interested supportive creative beautiful lovely special`,
);

/** Options that exclude one another, with the kind of conflict to report. */
export const RIVALS: readonly (readonly ['choice' | 'date', string])[] = [
  ['choice', 'tab tabs | space spaces'],
  ['choice', 'dark | light'],
  ['choice', 'react | vue | angular | svelte | solidjs | ember'],
  ['choice', 'postgres | mysql | mariadb | sqlite | oracle | mongodb | cockroachdb'],
  ['choice', 'npm | yarn | pnpm | bun'],
  ['choice', 'vim | neovim | emacs | vscode | nano'],
  ['choice', 'window | aisle'],
  ['choice', 'celsius | fahrenheit | kelvin'],
  ['choice', 'metric | imperial'],
  ['choice', 'british | american'],
  ['choice', 'fedora | ubuntu | debian | arch | nixos | macos | windows'],
  ['choice', 'bash | zsh | fish'],
  ['choice', 'jest | vitest | mocha'],
  ['choice', 'eslint | biome'],
  ['choice', 'graphql | grpc'],
  ['choice', 'rebase | squash'],
  ['choice', 'camelcase | snakecase snake_case | kebabcase kebab | pascalcase'],
  ['choice', 'monorepo | polyrepo'],
  ['choice', 'sync synchronous | async asynchronous'],
  ['choice', 'formal | informal casual'],
  ['choice', 'aws | gcp | azure'],
  ['choice', 'terraform | pulumi'],
  ['choice', 'docker | podman'],
  ['choice', 'morning mornings | afternoon afternoons | evening evenings'],
  ['choice', 'left | right'],
  ['choice', 'upstairs | downstairs'],
  ['choice', 'single | double | triple'],
  ['choice', 'decaf | regular'],
  ['choice', 'manual manually | automatic automatically'],
  ['choice', 'short | long'],
  ['choice', 'ascending | descending'],
  ['choice', 'weekdays | weekends'],
  ['choice', 'remote remotely | onsite'],
  ['choice', 'upper uppercase | lower lowercase'],
  ['date', 'hourly | daily | weekly | biweekly fortnightly | monthly | quarterly | yearly annually annual'],
  ['date', 'spring | summer | autumn | winter'],
];

/** Words that the thesaurus takes for synonyms because they occur in the same places, and that mean different things. */
export const COUNTERPARTS = groups(`
  mother father
  brother sister
  son daughter
  husband wife
  marry divorce
  aunt uncle
  niece nephew
  upstream downstream
  ingress egress
  east west north south
  buy sell
  buyer seller
  lend borrow
  win lose
  cheap expensive
  encrypt decrypt
  inside outside
  internal external
  complete incomplete
  short lengthy long
  before after
  first second third
  breakfast lunch dinner
`);
