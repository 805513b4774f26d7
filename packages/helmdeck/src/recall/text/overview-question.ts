// Recognises questions that ask for everything, such as "what do you remember about me": no fact contains their words.

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** At least one of these makes a question ask for all of a memory. */
const SUBJECTS = words(`
  me myself i user users everything anything something all facts fact memory memories remember remembered remembering
  recall know knew known stored saved notes overview summary summarise summarize
  mich mir ich alles etwas erinnerst erinnern gemerkt weißt weisst weiss übersicht überblick zusammenfassung
  moi je tout sais souviens rappelles mémoire résumé utilisateur
  mí mi yo todo sabes recuerdas recuerda memoria resumen usuario soy
`);

/** What else such a question may say. */
const FILLERS = words(`
  a an the and or of on in at for from with about to by so far that this these there any what who which whatever how
  much do does did is are am was were be been have has had having can could would will please tell show list give get
  find say said told things thing stuff info information data details currently current right now already it's its you
  your yours my mine our we us helmdeck there's what's who's whats whos user's users's relevant known important up
  kannst bitte zeig zeige was wer wie über von an du dir dich hast habe bin ist sind mein meine alle fakten den die das
  que qui quoi tu vous de sur suis est ce as mon ma mes toutes les tous
  qué quién quien sobre te has es tú acerca todos los las
`);

/** Words that may name something that is stored, or only what the conversation is about. */
const SETTINGS = words(`
  project projects profile background context preferences preference settings task work working session conversation
  history projekt projet proyecto
`);

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFC')
    .split(/[^\p{L}\p{N}'’]+/u)
    .map((word) => word.replaceAll(/^['’]+|['’]+$/g, '').replaceAll('’', "'"))
    .flatMap((word) => (FILLERS.has(word) ? [word] : word.split("'")))
    .filter(Boolean);

/** Asks for everything: to search for its words would find nothing or noise. */
export function isOverviewQuestion(text: string): boolean {
  const asked = wordsOf(text);
  return (
    asked.every((word) => SUBJECTS.has(word) || FILLERS.has(word)) && asked.some((word) => SUBJECTS.has(word))
  );
}

/** Says so little ("current project") that an overview is the best answer once a search has found nothing. */
export function isVagueQuestion(text: string): boolean {
  const asked = wordsOf(text);
  return (
    asked.length > 0 &&
    asked.every((word) => SUBJECTS.has(word) || FILLERS.has(word) || SETTINGS.has(word)) &&
    asked.some((word) => SUBJECTS.has(word) || SETTINGS.has(word))
  );
}
