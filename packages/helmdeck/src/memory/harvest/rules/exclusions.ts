import type { Exclusion } from './rule.ts';

/** Words that make even a request or a condition a rule for the time after. */
const STANDING =
  /\b(?:always|never|from now on|in future|in the future|going forward|every time|each time|whenever|by default|immer|nie|niemals|ab jetzt|ab sofort|künftig|toujours|jamais|désormais|dorénavant|siempre|nunca|a partir de ahora)\b/;
const POLITE_REQUEST =
  /^(?:can|could|would|will) you (?:please )?(?:always|never|stop|from now on|call me|keep|use .{2,60} from now on|not )|^(?:kannst|könntest) du (?:bitte )?(?:immer|nie|ab jetzt|künftig)|^(?:peux|pourrais)-tu (?:toujours|ne (?:jamais|plus)|désormais)|^¿?(?:puedes|podrías) (?:siempre|no volver)/;

/** What only looks like a statement, with the reason why each is left out. */
export const EXCLUSIONS: readonly Exclusion[] = [
  {
    name: 'question',
    reason: 'A question asks for a fact and states none.',
    patterns: [
      /\?["')\]]*\s*$/,
      /^¿/,
      /^(?:what|what's|why|how|how's|who|who's|whose|where|where's|which)\b/,
      /^(?:when|is|are|am|was|were|do|does|did|can|could|should|would|shall|has|have|had|will) (?:i|we|you|it|he|she|they|the|this|that|there|our|my|your|any|is|are|do|does|did|will|can|should)\b(?!.*,)/,
      /^(?:kannst|könntest|kann|soll|sollen|sollte|was|wie|warum|wieso|wer|wo|wann|welche[rsn]?|hast|habt|ist das|sind|gibt es|magst)\b/,
      /^(?:peux|pourrais|est-ce|pourquoi|comment|qui|quand|quel(?:le)?s?|qu'est|tu peux|vous pouvez|as-tu|c'est quoi)(?=[\s-])/,
      /^(?:puedes|podrías|por qué|cómo|qué|quién|cuándo|dónde|cuál|hay que)(?=\s)/,
    ],
    unless: [POLITE_REQUEST],
  },
  {
    name: 'hypothetical',
    reason: 'What might be is not what is.',
    patterns: [
      /\b(?:what if|suppose|supposing|imagine|let's say|let's assume|assume (?:that|we|the)|hypothetically|in theory|in (?:the|this|that|your|my) (?:example|snippet|screenshot|code above|sample|diagram|test data)|for example|for instance|e\.g\.|i wonder|wondering|wish)\b/,
      /\b(?:maybe|perhaps|might|possibly|presumably|who knows|no idea|not sure|unsure|i don't know|don't know (?:if|whether|why|how|what)|i doubt|could be|may be able)\b/,
      /\b(?:we|i|you|one|it|they|someone) could\b/,
      /\b(?:would be|would have|would need|would make|wouldn't|would we|would it|i would(?! (?:prefer|rather|like))|we would(?! (?:prefer|rather)))\b/,
      /\b(?:thinking (?:about|of)|considering|toying with|playing with the idea|tempted to|leaning towards|on the fence|torn between|debating)\b/,
      /\bwe should (?:probably|maybe|consider|think|look|try|talk|discuss)\b/,
      /\bif (?:i|we|you|they|he|she|it|our|my|the|this|that|there|anyone|someone|everyone|\p{L}+)\b.*\b(?:were|was|had|would|could|moved|used|wanted|switched|went|did|can still|will|can|might|turns out|breaks|fails)\b/u,
      /(?:^|\s)(?:vielleicht|eventuell|wäre|würde|würden|könnten|könnte|angenommen|falls|mal angenommen|was wenn|hätte|hätten|überlege|überlegen|weiß nicht|keine ahnung)(?=[\s,.!]|$)/,
      /(?:^|\s)(?:peut-être|et si|si on|si nous|imaginons|supposons|on pourrait|pourrait|serait|faudrait|je ne sais pas|je me demande|aurait)(?=[\s,.!]|$)/,
      /(?:^|\s)(?:tal vez|quizás?|a lo mejor|y si|si (?:usáramos|cambiamos|fuera)|imagina|supongamos|podríamos|podría|sería|habría|no sé|me pregunto)(?=[\s,.!]|$)/,
    ],
  },
  {
    name: 'opinion_in_passing',
    reason: 'A guess about the matter at hand holds only until it is checked.',
    patterns: [
      /\b(?:i think|i guess|i believe|i suspect|i assume|i feel like|seems|looks like|sounds like|apparently|supposedly|allegedly|it feels|probably|likely)\b/,
      /\b(?:ich glaube|ich denke|scheint|anscheinend|vermutlich|wahrscheinlich|je pense|je crois|apparemment|sans doute|creo que|parece|supongo|aparentemente)\b/,
    ],
    unless: [
      /\bi think .{2,60} (?:easier|harder|more readable|annoying|distracting|clearer|confusing|too verbose)\b/,
    ],
  },
  {
    name: 'reported_speech',
    reason: 'It reports what another person said.',
    patterns: [
      /\b(?:said|says|(?<!you )say that|told me|claims?|claimed|argues?|thinks|suggested|suggests|recommends?|recommended|insists? that|wrote that|mentioned|according to|i read|i heard|i saw|reddit|hacker news|stack ?overflow|wikipedia|twitter|the (?:docs?|documentation|manual|error|article|book|tutorial|warning|message|spec|blog|internet|changelog)(?: \p{L}+)? (?:is|are|has|have|says?|mentions?|uses?|shows?|claims?|recommends?))\b/u,
      /\b(?:sagt|sagte|meint|meinte|behauptet|laut|angeblich|empfiehlt|steht in der doku)\b/,
      /\b(?:dit que|a dit|selon|d'après|recommande|paraît que|conseille)\b/,
      /\b(?:dice|dijo|según|recomienda|dicen que|me contaron)\b/,
    ],
  },
  {
    name: 'sarcasm',
    reason: 'Said in anger or in jest, meant the other way round.',
    patterns: [
      /\b(?:yeah,? right|oh,? (?:great|joy|wonderful|fantastic|lovely|perfect|good)|just (?:great|love|perfect|what i needed|wonderful)|as if|of course it|big surprise|shocking|who needs|because that (?:always|never)|what could (?:possibly )?go wrong|good luck with that|how nice|slow clap|how original|love it when|can't wait to (?:debug|wait|spend))\b/,
      /^(?:great|fantastic|wonderful|brilliant|lovely|awesome|perfect|super|toll|génial|genial|sure|clearly|obviously|totally)[,!.]? (?:so|another|now|again|the|it|because|schon wieder|encore|otra vez|let's just|we|nothing)\b/,
      /\b(?:lol|lmao|rofl|haha+|hehe|jaja+|xd)\b|(?:^|\s)\/s\b|🙄|😂|🤣|\s[:;]-?[)dp]\s*$/,
      /\b(?:works so well|always works so|always a good idea|best idea ever|genius move|what a surprise|fantastic \p{L}+\.?$)/u,
      /^(?:seriously|really|wow|ugh|argh|omg|wtf)\b/,
    ],
  },
  {
    name: 'once_only',
    reason: 'It holds for the task at hand only.',
    patterns: [
      /\b(?:just (?:for )?(?:this|once|now|here|today)|this time|only (?:this once|here|for now|for today)|for (?:this|that) (?:file|pr|commit|one|test|task|function|time|case|example|method|class|line|ticket|run|step|change|experiment|demo)|for now|for today|for the moment|at the moment|right now|temporarily|in the meantime|as a test|just testing|(?<!as of |from |since |starting )today\b|this (?:morning|afternoon)|\byet\b\.?$|on line \d+|in line \d+|line \d+ )/,
      /\b(?:nur (?:dieses mal|diesmal|hier|heute)|diesmal|vorerst|erst ?mal|fürs erste|gerade|im moment|momentan|pour l'instant|cette fois|juste ici|pour le moment|por ahora|esta vez|de momento|solo aquí)\b/,
      /^(?:let's|let me|lass uns|on va|vamos a) (?:see|look|try|take|start|continue|check|talk|think|have|run|wait|get|go back|do (?:this|that|it)|discuss|figure|debug|find|schauen|voir|regarder|ver|probar)\b/,
      /\bi(?:'ll| will|'m going to) (?:let you know|get back|be (?:right )?back|take a look|have a look|check|see|try|think about|look)\b/,
      /\b(?:use|add|put|write|do|change|move) .{0,60}\bhere\.?$/,
    ],
    unless: [
      /\b(?:until|since) (?:january|february|march|april|may|june|july|august|september|october|november|december|mon|tues|wednes|thurs|fri|\d)/,
    ],
  },
  {
    name: 'state_of_the_moment',
    reason: 'A failure or a mood is gone tomorrow.',
    patterns: [
      /\b(?:is|are|'s|'re|am|'m|was|were|got|seems?|keeps?|feels?|has been|looks?) (?:so |very |really |a bit |still |also |totally |completely |again |now |quite |pretty |too |all |always )*(?:broken|red|green|slow|failing|wrong|weird|odd|strange|down|flaky|good|great|bad|nice|ready|done|ok|okay|fine|missing|empty|stuck|crashing|hanging|tired|hungry|busy|confused|lost|sorry|happy|glad|annoyed|annoying|back|here|late|sick|unclear|ugly|messy|gone|offline|unavailable|interesting|cool|awesome|perfect|delicious|useless|correct|better|worse|finished|working|expected|outdated|full|passing|merged|deployed|fixed|blocked|awful|terrible|hard|easy|confusing|fast|due to)\b(?![^.]*[,:;] (?:so|not|the|we|it|use)\b)/,
      /\b(?:doesn't work|does not work|don't work|isn't working|not working|fails?|failed|crash(?:es|ed)?|throws?|threw|broke|errors? out|timed out|times out|complains?|i get (?:an?|this|the)|there(?:'s| is| are) (?:an?|some|no|something) (?:error|bug|typo|issue|problem|mistake|warning))\b/,
      /\b(?:ist|sind|war) (?:so |sehr |immer noch |schon wieder |wieder |noch )?(?:kaputt|rot|grün|langsam|falsch|komisch|fertig|müde|gut|super|leer|toll|weg)\b/,
      /\b(?:est|sont|était) (?:très |encore |trop |toujours )?(?:cassée?|rouge|vert|lente?|bizarre|prête?|fatiguée?|vide|super|bien|nul)\b/,
      /\b(?:está|están|es|son) (?:muy |otra vez |todavía )?(?:roto|rota|rojo|lento|lenta|raro|listo|lista|cansad[oa]|vací[oa]|bien|mal|genial)\b/,
    ],
    unless: [
      /\b(?:always|never|allergic|prefer|decided|decision|no longer|hate|can't stand|i'd rather)\b/,
      /^(?:if|when|whenever|before|after) .{3,100}, \p{L}+/u,
    ],
  },
  {
    name: 'matter_at_hand',
    reason: 'It describes a piece of the work that changes with the next edit.',
    patterns: [
      /^(?:the|this|that|your|these|those) (?:\p{L}+ ){0,2}?(?:pr|pull request|commit|diff|patch|file|function|method|class|line|lines|error|errors|bug|output|screenshot|button|modal|variable|loop|regex|snippet|result|results|response|warning|exception|trace|stack ?trace|column|row|array|object|parameter|argument|import|comment|approach|option|solution|version above|paragraph|sentence|draft|answer|question|link|icon|label|popup|tooltip|checkbox|input field|div|selector|callback|test|spec|assertion|mock|fixture|query|request|call stack|docker image|image|build output)\b/u,
      /^there (?:is|are|was|were|'s|seems)\b/,
    ],
    unless: [
      /\b(?:always|never|must|should be called|deadline|by convention|decided|is called|owner|tests? (?:for|of|live|run))\b/,
    ],
  },
  {
    name: 'task',
    reason: 'A request to do something once.',
    patterns: [
      /^(?:please |can you |could you |now |then |just |go ahead and |kindly |first |next |i want you to |i need you to |you can )*(?:rename|fix|delete|remove|run|rerun|move|create|update|refactor|show|explain|find|look|try|revert|undo|open|close|translate|summari[sz]e|book|play|scale|give me|tell me|generate|implement|search|read|list|print|install|start|restart|build|compile|debug|merge|rebase|paste|convert|replace|extract|apply|continue|go on|proceed|help|compare|describe|draft|order|buy|calculate|count|review|improve|optimi[sz]e|clean|sort out|send|copy|download|upload|set|turn|switch (?:on|off)|increase|decrease|bump|investigate|figure|think|take|get|fetch|pull|push|deploy|retry|add|make|change|write|check|ignore|double-check|finish|wrap up|inline|split|rewrite|simplify|document|do|redo|wait|click|go to|edit|insert|change|adjust|combine|clone|checkout|ask)\b(?! (?:me before|before you|before every))/,
      /^(?:bitte )?(?:mach|füge|lösch|zeig|erklär|schreib mir|such|starte|führ|öffne|benenn|korrigier|übersetz|fass|gib|probier|schau|bau|erstell|änder|entfern|verschieb|prüf|teste|ergänz)e?\b/,
      /^(?:corrige|ajoute|supprime|montre|explique|lance|relance|ouvre|renomme|traduis|résume|donne|essaie|regarde|crée|modifie|vérifie|teste|change|fais|enlève|cherche)\b/,
      /^(?:corrige|añade|borra|muestra|explica|lanza|abre|renombra|traduce|resume|dame|intenta|mira|crea|modifica|verifica|prueba|cambia|haz|quita|busca|elimina|ejecuta|arregla)\b/,
    ],
    unless: [
      STANDING,
      /\b(?:in all|for all|in every|for every|everywhere|as a rule|before (?:you|every|each|any|making|touching|deleting|running|pushing|committing|merging|claiming)|, never |unless i|without asking|until \d)\b/,
      /^(?:please )?(?:make|write|document|add|check|ask|put|name|set|keep|do) .{2,100}(?:, not )/,
      /^(?:please )?(?:keep|make) (?:your|all|every|each|answers|replies|functions|commits?|pull requests|prs?)\b/,
      /^(?:please )?(?:write|explain)(?: everything| all .{2,30}| your .{2,20}| to me)? in (?!this|that|the file|a file)\S+/,
      /^(?:please )?write (?:commit messages|commits|tests|docs|code|comments|e-?mails|answers|replies|pull request descriptions) (?:in|with|as|like|without)\b/,
    ],
  },
  {
    name: 'past_event',
    reason: 'What was done a moment ago is in the log of the work, not in memory.',
    patterns: [
      /\b(?:i|we|you)(?:'ve| have)? (?:just|already) (?:pushed|merged|ran|fixed|tried|updated|changed|added|deleted|sent|deployed|committed|noticed|saw|found|did|tested|restarted|finished|installed)\b/,
      /^(?:i|you|we)(?:'ve| have)? (?:pushed|merged|ran|fixed|tried|updated|changed|added|deleted|deployed|committed|noticed|saw|found|tested|restarted|forgot|missed|misunderstood|broke|asked|meant|opened|closed|looked|checked|read|wrote|got)\b/,
      /^(?:no,? |sorry,? |actually,? )*i meant\b/,
      /^(?:you|du|tu|tú)(?:'ve| have)? (?:forgot|missed|misunderstood|broke|deleted|hast .*vergessen|as oublié|olvidaste)\b/,
    ],
    unless: [/\b(?:decided|agreed|switched|moved to|dropped)\b|[,:;–—] (?:it's|it is|not )|, not \S+/],
  },
];
