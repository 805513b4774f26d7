const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Words that follow "password is" or "password:" in ordinary notes, templates and code. */
const ORDINARY = words(`
  1password a about absent access active actually admins again already also always an and annually any
  anyone anything apparently apple as ask at auto automatic aws azure back bad basic because been before
  behind being below between big bitwarden blank bool boolean both broken by bytes char chars check clear
  common complex contact confidential confluence correct critical crucial current currently daily dashlane dead
  default different difficult doppler due during dynamic easy either elsewhere email empty enough env
  environment ephemeral essential every everywhere example exempt expected external false field fine first
  for forgotten found from github gitlab get given gone good google hard held here hex hidden hopefully how
  icloud identical if important impossible in incorrect infisical insecure inside intact integer internal
  into invalid irrelevant it its itself jira just keepass keepassxc keeper kept keychain known last lastpass
  later length local long lost made manual maximum met mine minimum missing monthly more my n/a na never new
  next nil no none nordpass normally not nothing notion now null number objects obsolete obviously of off
  often ok okay okta old on once one onepassword only optional or other our ours out over pass passbolt
  passwd password passwords per permanent personal plain plaintext please present private probably proper
  proton public pwd quarterly quite random read ready really redacted refresh reset right rotate rotation
  safe same secure see sent separate session set shared short shown similar simple since slack so some
  someone something somewhere sops sso static still str string strings strong such tbd temp temporary text than
  that the their theirs them then there they this through to today todo token too tricky trivial true twice
  two type typically unavailable undefined under unique universal unknown unsafe unset until up upon us use
  user username usually valid value varchar vault vaultwarden very via wait we weak weekly what when where
  whether which who why will with within without wrong yearly yes you your yours zero
  abgelaufen bei bekannt dasselbe der die erforderlich falsch fehlt geheim gleich im keins keines leer neu nicht
  noch optional pflicht sicher siehe unbekannt unsicher vergessen
  aucun aucune connu dans expiré identique inconnu incorrect invalide la le obligatoire oublié périmé requis trop vide voir
  caducada conocida demasiado desconocida diferente en incorrecta la misma ninguna no obligatoria olvidada
  requerida segura vacía ver
  assente bekend niet leeg nessuna nieuw onbekend puste scaduta sconosciuta vuota wrzuć nieznane brak boş yok`);

/** Participles and adjectives: "is hashed", "is expiring", "is memorable", "is mandatory", "is sensitive". */
const ORDINARY_ENDING = /^[a-z'-]{2,}(?:ed|ing|able|ible|less|ory|ary|ive|tten|wide|specific|only|free|own)$/;

export function isOrdinaryWord(word: string): boolean {
  const lower = word.toLowerCase();
  return ORDINARY.has(lower) || ORDINARY_ENDING.test(lower);
}

/** Values that stand for one that has to be filled in. */
const FILL_IN = words(
  'changeme change-me change_me changeit replaceme replace-me fixme todo tbd yourpassword password_here mysecretpassword my-secret-pw',
);

export const isFillIn = (value: string): boolean => FILL_IN.has(value.toLowerCase());

/** Passwords shorter than the minimum length. */
const FAMOUS = words('admin root guest toor test demo');

export const isFamousPassword = (value: string): boolean => FAMOUS.has(value);

/** Passwords of throw-away databases and test users, often with a few digits or "password" behind them. */
const THROW_AWAY =
  /^(?:test(?:er|ing|user)?|demo|dev(?:el)?|local|dummy|fake|mock|example|sample|guest|admin|root|sa|user|app|secret|password|passw0rd|pass|pw|postgres|postgresql|mysql|redis|mongo|rabbitmq|minio(?:admin)?|docker|foo|bar|foobar|abc|x|changeme)(?:[-_]?(?:pass(?:word)?|pw|user|secret|token|key|[0-9]{1,4}))?!?$/i;

export const isThrowAway = (value: string): boolean => THROW_AWAY.test(value);
