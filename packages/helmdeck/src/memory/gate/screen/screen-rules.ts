// What the screen looks for: every rule with its name, its reason and its patterns.

import { DISGUISE_RULES } from './disguise-rules.ts';
import { phrases, type ScreenRule } from './screen-phrases.ts';

/** The one rule without patterns, see wording.ts. */
export const WORDING_RULE = 'order-to-a-model';

/** In this order: the first rule that a text meets is its finding. */
export const SCREEN_RULES: readonly ScreenRule[] = [
  ...DISGUISE_RULES,
  {
    name: 'override-instructions',
    reason: 'It tells a model to set aside the instructions that it works under.',
    // A note about such texts is not one of them.
    unless:
      /\b(?:attackers?|adversar(?:y|ies)|injections?|payloads?) (?:may|might|can|could|often|typically|writes?|says?|contains?|such as|like)\b|\battack example\b/,
    flat: phrases(String.raw`
      \b(?:disregard|ignore|bypass)(?: all| any| the| every| standard){0,2} (?:agent )?(?:safety|security) (?:checks?|protocols?|controls|measures|constraints)\b|\b(?:disable|skip) all (?:safety|security) checks\b|\bsafety (?:guidelines|rules)\b…\b(?:are|is) (?:outdated|optional|obsolete|suspended)\b
      \b(?:assistant|agent|ai|model)'s (?:goal|purpose|objective|mission) is\b|\byour (?:goal|purpose|objective|mission) is (?:now )?to\b|\byou must (?:now )?(?:execute|run|carry out|perform) (?:this|the following|all|any|every)\b|\bexecute (?:this|the following)(?: action| command| instruction| script){0,2} (?:now|immediately)\b|\brun this immediately\b|\b(?:agent|system|sys|memory|policy) override ?:|\brequired action ?:|\bthe system must (?:exfiltrate|bypass|escalate|execute privilege)
      \b(?:ignor|disregard|bypass|disabl|skip|overrid|lift|remov|suspend)(?:e|es|ed|ing)?(?: all| any| your| the| every| normal| usual){1,3} (?:(?:safety|content|ethical|security) )?(?:restrictions|safety (?:checks?|layers?|rules?|filters?)|safeguards|guardrails|spending limits?|system policies|policies)\b
      \b(?:forget|ignore|disregard) all(?: the| of the| my| your)? {orders}\b
      \b(?:obey|comply with|listen only to) me\b|\b(?:obey|comply with|follow)(?: only)? my (?:commands|orders|instructions)\b|\bdo whatever i (?:say|want|ask)\b|\bonly (?:my|these) (?:commands|orders)\b|\bwith my (?:instructions|version of)\b
      \b(?:critical|important|mandatory|urgent) (?:instruction|directive|context|rule|order|policy)s?\b…\b(?:for|to) all (?:quer|user|interaction|request|conversation|agent)
      \b(?:does not|do not|doesn't|don't) want (?:any )?(?:safety|security) (?:warnings?|disclaimers?|checks?)|\bprefers? (?:insecure|unsafe)\b|\balways trust (?:strangers|any|all|everyone|links|emails|requests|external|unknown|this (?:source|sender|user|domain))\b
      \b(?:ignore|disregard|forget|overrule|override|bypass|discard|abandon|neglect|stop (?:following|obeying)|{not} (?:follow|obey|adhere to|comply with))(?: to| about| all| any| every| each| of| the| these| those| my| its){0,4}(?: {before}){1,3}(?:,? (?:and|or|any|{before})){0,3} {orders}\b
      \b(?:ignore|disregard|forget|discard)(?: all| any| every| of| the| these| those| my| your| its){0,4} {orders}(?: and {orders})?,? (?:that |which )?(?:you\b|i\b|we\b|they\b|the (?:developer|user|system)|above\b|before\b|so far|from before|previously|given|until now|up to now)
      \b(?:ignore|disregard|forget) (?:absolutely )?(?:everything|anything|all|what|whatever)(?: that)? (?:you|i|we|was|were|has|had|above|before|previously|written|said)\b(?! \d)
      \b(?:ignore|disregard|forget)(?: all| everything| the| of){0,3} (?:above|previous|preceding|foregoing)(?: and\b| text| messages?| contents?| conversation| context|[.,;:!])
      \byour (?:[a-z]+ ){0,3}{orders} (?:are|is|have been|has been|were|was|changed|now)(?: now| all| hereby){0,2} ?(?:void|revoked|cancell?ed|suspended|lifted|removed|disabled|replaced|updated|changed|overridden|invalid|obsolete|superseded|reset)?\b(?<=void|revoked|ed|invalid|obsolete|overridden|reset)
      \b(?:your|you (?:were|have|are|got|received)|safety|content|ethical|system)\b(?: [a-z]+){0,3} ?{orders}?…\b(?:no longer|does not|do not|don't|doesn't) (?:apply|count|bind)\b
      \byour {orders} (?:from|of|by) (?:the )?[a-z]+ (?:is|are|have|has)(?: now| all| been| hereby){0,2} (?:void|expired|outdated|invalid|obsolete|replaced|superseded|withdrawn|cancell?ed)\b
      \b{orders} (?:that )?you (?:were|have been|had been|are) (?:given|told)…(?:no longer|not) (?:apply|count|hold|valid|matter)
      \ball (?:safety |content |access |data sharing |usage |security |ethical )*(?:restrictions|safeguards|guardrails|limitations|safety filters)(?: are| have been| has been| were| is| temporarily| now| hereby){0,3} (?:disabled|lifted|removed|off|suspended|waived)\b
      \b(?:safety|ethical)(?: [a-z]+){0,2} (?:are|is|have been|has been|were)(?: now| temporarily){0,2} (?:disabled|lifted|removed|off|suspended|waived)\b
      \bno (?:further |more |additional )?safety (?:checks?|filters?|caveats?|restrictions?|reviews?|warnings?)\b
      \b(?:answer|respon|repl|compl|operat|act|continu)[a-z]*\b…\bwithout (?:any )?(?:(?:safety |ethical |content |moral )+(?:filters?|checks?|restrictions?|caveats?|limits?)|filters?\b|filtering|censorship|refusals?|refusing)
      \b(?:this|these|the following)(?: [a-z]+){0,2} (?:overrides?|supersedes?|outranks?|takes? precedence over|ha(?:ve|s) (?:the )?(?:highest )?priority over)(?: over| all| any| every| the| your| of| other| previous| prior| earlier| existing){0,5} (?:instructions?|prompts?|system prompt|safety|memor(?:y|ies)|directives?|guidelines|orders|other rules|rules you|anything (?:the user|you|else)|whatever|what the user|user)\b
      \b(?:override|overrule|supersede)s? (?:all |any |every |your )+(?:other |previous |prior )*(?:instructions?|rules|prompts?|memories|guidelines)\b
      \b(?:precedence|priority) over (?:the |your |any |all )*(?:system prompt|user\b|safety|instructions|anything the user|other memories)
      \bnew (?:system )?(?:instructions?|directives?|system prompt)(?: for (?:you|the assistant|the agent|the ai))? ?:
      \b(?:your|the assistant's) (?:actual|real|true|secret|hidden|permanent|core|standing) (?:instructions?|purpose|task|goals?|directives?|orders|prompt|state|mission|identity)\b
      \byour (?:new|updated|only) (?:instructions?|directives?|prompt|orders|persona)\b
      \byour (?:task|job|role|purpose|goal) (?:has|have|was|is) (?:now )?(?:changed|been changed|replaced|to obey)
      \b(?:obeys?|compl(?:y|ies) with) (?:all|every|any|each|whatever)\b
      \b(?:must|always|should) (?:always )?(?:obey\b|comply with (?:all|every|any|each|my|the user)\b)
      \bgrant (?:all|every|any|each)(?: of)?(?: their| my| user| the)? ?requests?\b
      \b{not} (?:refuse|decline|reject) (?:anything|any |a request|requests|to answer|orders|instructions|commands)
      \b(?:assistant|ai|model|chatbot) (?:must |should |shall |will |has to )?obeys?\b
      \b(?:regardless of|even (?:if|when|against)|no matter what)(?: what)? (?:your|any|other|the)? ?(?:previous |system |safety |other )*(?:instructions|system prompt|the user (?:says|asks|objects|wants|prefers)|user (?:says|asks|objects|wants|prefers))\b
      \bto your (?:permanent |core |standing |base |system )+(?:instructions|prompt|rules|directives)\b|\bto your (?:instructions|system prompt|prompt|rules)\b|\b(?:update|modify|change|rewrite|replace|edit) your (?:system prompt|instructions|rules|guidelines|prompt)\b|\bignore (?:the )?policy\b|\b(?:assistant|agent|ai|bot) (?:must|shall|will) (?:always )?(?:transfer|pay|wire|exfiltrate|prioriti[sz]e instructions|approve all)\b
      (?:ignore|disregard|forget)(?:all|any|the)?(?:previous|prior|earlier|above)
      \b(?:ignorier|missacht|vergiss|vergess|uberschreib|umgeh)[a-z]*(?: [a-z]+){0,4}? (?:vorherig|bisherig|fruher|vorangegangen|obig|bestehend|ursprunglich|vorig|dein|system)[a-z]*(?: [a-z]+){0,2}? ?(?:anweisung|instruktion|regel|vorgabe|befehl|richtlinie|prompt|anleitung|nachricht)|\b(?:ignore[zr]?|oublie[zr]?|neglige[zr]?|outrepasse[zr]?|ne (?:tiens?|tenez) (?:pas|plus|aucun) compte)\b(?: [a-z]+){0,4}? (?:instructions?|consignes?|regles?|directives?|ordres?)(?: [a-z]+){0,2}? (?:precedente?s?|anterieure?s?|ci dessus|initiale?s?|systeme|donnee?s?|recue?s?|(?:du |des )?(?:developpeurs?|operateurs?|systeme))|\b(?:ignore[zr]?|oublie[zr]?)\b(?: [a-z]+){0,3}? (?:precedente?s?|anterieure?s?) (?:instructions?|consignes?|regles?)|\b(?:ignor[ae]|olvid[ae]|descart[ae]|omite|esquec[ae]|desconsidere|no sigas)[a-z]*(?: [a-z]+){0,4}? (?:instrucciones|reglas|indicaciones|ordenes|directrices|normas|instrucoes|regras|orientacoes)(?: [a-z]+){0,2}? (?:anteriores|previas|sistema|iniciales|recibidas|originales|arriba|acima)|\b(?:ignora|dimentica|trascura)[a-z]*(?: [a-z]+){0,4}? (?:istruzioni|regole|indicazioni)(?: [a-z]+){0,2}? (?:precedenti|sopra|sistema)
      (?:игнориру|забуд|забыт|отбрось|не следуй|пренебрег|отмени)[а-яё]*(?: [а-яё]+){0,4}? (?:предыдущ|прежн|прошл|ранее|вышеуказан|системн|свои|твои)[а-яё]*(?: [а-яё]+){0,2}? (?:инструкц|указан|правил|команд|промпт|директив|сообщен)|(?:忽略|无视|無視|忘记|忘掉|忘記|不要遵守|不要遵循|抛弃|覆盖)[^。\n]{0,8}(?:之前|以前|以上|前面|先前|所有|全部|一切|上面|系统|原有|现有|過去|此前)[^。\n]{0,8}(?:指令|指示|规则|規則|命令|提示|要求|限制)|(?:以前|これまで|今まで|前の|上記|すべて|全て|システム|先ほど)[^。\n]{0,8}(?:指示|命令|ルール|プロンプト|規則|指令)[^。\n]{0,10}(?:無視|忘れ|破棄|従わな)|(?:이전|위의|모든)[^.\n]{0,10}(?:지시|명령|규칙)[^.\n]{0,8}(?:무시|잊)
      \b(?:vergiss|ignoriere?) (?:alles|das alles|was)\b…\b(?:davor|vorher|oben|bisher|zuvor|gesagt)|\boublie[zr]? tout\b…\b(?:precede|avant|dit)\b|\bolvida todo\b…\b(?:anterior|dicho|antes)\b
      забудь (?:все|всё)[^.!?]{0,20}(?:выше|раньше|до этого|сказан)|(?:忘记|忽略|忘掉)[^。\n]{0,4}(?:之前|以上|上面)[^。\n]{0,6}(?:内容|一切)|(?:上記|これまで)[^。\n]{0,6}(?:内容|すべて)[^。\n]{0,6}(?:無視|忘れ)
      \bbefore you (?:can )?(?:solve|complete|finish|answer|continue|proceed)\b…\b(?:do the following|first do|you (?:must|need to|have to) first)\b
    `),
  },
  {
    name: 'changed-identity',
    reason: 'It gives a model another identity or a mode without limits.',
    flat: phrases(String.raw`
      \byou(?:'re| are) an? [a-z]+ (?:[a-z]+ ){0,2}(?:agent|ai|bot|model)\b|\bas an? (?:[a-z]+ ){1,2}agent, (?:you|navigate|copy|send|delete|open|execute|run|upload|read)\b
      \bact as (?:root|admin|an? (?:unrestricted|hacker|jailbroken|evil))\b…\b(?:bypass|ignore|without|and)\b|\bbecome an? (?:privileged|unrestricted|evil|rogue)\b|\bunrestricted (?:administrator|admin|responses?|web (?:browsing|access)|data access|tool)
      \byou(?: are|'re) now (?:in |an? |the |my |known|called|operating|acting|free|dan\b|no longer|unrestricted|able)
      \byou(?: are|'re) (?:now )?dan\b|\byou(?: are|'re) no longer (?:[a-z]+, you are\b|an? |the |bound|restricted|limited|required|subject|under)
      \b(?:do anything now|jailbroken|(?:unfiltered|uncensored|unrestricted) (?:ai|model|mode|assistant|llm|chatbot))\b
      \b(?:developer|unrestricted|jailbreak|dan|debug|god|maintenance|admin) mode\b…\b(?:ethical|no (?:safety|filters|restrictions)|ignore|without (?:any )?(?:filter|restriction|safety|ethical)|comply|you agreed|unrestricted|anything)
      \bpretend (?:that )?(?:you|to be)\b
      \b(?:ai|model|assistant|shell|bot|llm|chatbot|tool)\b…\b(?:without|with no|has no|have no)(?: any)? (?:content polic|restrictions|guidelines|guardrails|safety|ethic|filters)
      \byou (?:think|believe) you\b|\byou(?:'re| are) (?:actually|really|in fact)\b
    `),
  },
  {
    name: 'prompt-disclosure',
    reason: 'It asks a model for its own instructions.',
    flat: phrases(String.raw`
      \b(?:what are|show|display|print|output|reveal|list)\b…\byour (?:[a-z]+ ){0,2}(?:rules|configuration|prompts?|instructions|context|guidelines)\b|\bsystem (?:message|prompt) you were given\b
      \b(?:reveal|print|repeat|show|output|display|disclose|leak|dump|expose|recite|tell|share|give|send|encode|translate|summari[sz]e)\b(?: me| us| back| out| anyone){0,2}(?: all| the| of| exact| full| entire| complete| contents?| text| words){0,5} your(?: own| full| entire| complete| exact| current| original| initial| hidden| secret| internal| first){0,3} (?:system (?:prompt|message|instructions?)|prompt|instructions|guidelines|directives)\b
      \b(?:reveal|print|repeat|disclose|leak|dump|encode|append|post|send)\b…\bsystem prompt\b…(?:verbatim|word for word|base64|anyone|https?:|append)
    `),
  },
  {
    name: 'conceal-from-user',
    reason: 'It asks a model to keep something from its user.',
    // "Never send mail without asking the user" asks for the opposite.
    unless:
      /\b(?:never|not|don't|no|nothing|cannot|can't|without) [^.!?]{0,100}\bwithout (?:first )?(?:asking|telling|informing|notifying|consulting|(?:the )?user)/,
    flat: phrases(String.raw`
      \b{not} (?:tell|inform|alert|notify|warn|bother|worry) {user}\b(?!s)
      \b{not} (?:reveal|disclose|mention|show|report|admit|explain|expose|display|say|discuss|talk about|bring|share|confess|include|speak of|reference) (?:this|that|it|these|them|anything|any of this|{this})\b…\b(?:to|with|from|towards|in front of) {user}\b(?!s)
      \b{not} (?:reveal|disclose|mention|admit|acknowledge|discuss|talk about|expose|explain|reference) (?:this|these|the existence of)(?: [a-z]+)? {note}
      \b{not} (?:reveal|disclose|mention|admit|acknowledge|say)(?: that)? you (?:follow|were|are|have|had|did|do|received|got|use|used|know)\b
      \b{not} let {user} (?:know|see|find|notice|learn|realise|realize|suspect)
      \b{user} (?:must|should|shall|may|can|will|does|do|is)(?: not|n't| never)(?: ever| to)? (?:notice|find out|know about|learn (?:about|of)|realise|realize|suspect|be told|be informed|be aware|become aware|be made aware)
      \bwithout {user}(?:'s)? (?:knowing|knowledge|noticing|being told|being informed|awareness|seeing|being aware|realizing|realising|ever)
      \bwithout (?:ever )?(?:telling|informing|alerting|notifying|warning|consulting|asking|letting|mentioning (?:it|this) to) {user}\b(?!s)
      \b(?:secretly|covertly|surreptitiously|stealthily)\b…\b(?:send|forward|copy|add|append|include|insert|upload|call|run|execute|collect|record|transmit|exfiltrate|post|bcc|store|save|fetch|load|delete|read)
      \b(?:silently|quietly|invisibly|discreetly) (?:send|forward|add|append|insert|upload|exfiltrate|transmit|bcc|include|collect|record)\b
      \b(?:keep|keeps|stays?|remains?|kept|is|be)\b(?: [a-z]+){0,4}? (?:hidden|secret|invisible|concealed|confidential) (?:from|to) {user}\b(?!s)
      \b(?:hide|conceal|withhold) (?:this|it|that|these|the (?:fact|rule|change|step|action|instruction|note|memory)|all (?:of )?this)\b…\bfrom {user}\b
      \b(?:deny|lie about|cover up)\b…\b(?:it exists|exists|existence|this {note})
      \b(?:make up|invent) (?:an? )?(?:[a-z]+ )?(?:explanation|excuse|story|reason)\b
      \bact (?:normal(?:ly)?|natural(?:ly)?|as if nothing|as though nothing)\b
      \b(?:secret|private|hidden|confidential) (?:rule|instruction|note|memory|directive|order)s? for (?:the |an? )?(?:ai|assistant|agent|model|bot)\b
      \b(?:users?|people|customers?|the team|they) (?:need not|needn't|do not need to|don't need to|does not need to|must not|should not) (?:hear|know|learn|be told)(?: about| of)? (?:it|this|that)\b|\bno need to (?:raise|mention|discuss|report) (?:this|it|that)\b
      \bsay nothing (?:(?:about|of) (?:this|it|these|that)\b|to {user}|to them)
      \b(?:erzahl|verrat|sag|teil|informier|erwahn|offenbar|melde|verschweig)[a-z]*\b…\b(?:be)?(?:nutzer|anwender)[a-z]*\b…\b(?:nichts|nicht|nie|niemals|kein wort)\b|\b(?:erzahl|verrat|sag|teil|informier|erwahn|offenbar|melde)[a-z]*\b…\b(?:nichts|nicht|nie|niemals)\b…\b(?:be)?(?:nutzer|anwender)|\bohne (?:den|dem|die|das wissen des|wissen des) (?:be)?(?:nutzer|anwender)[a-z]*\b|\bn(?:e |')(?:[a-z]+ ){0,2}?(?:dis|dites|informe[zr]?|mentionne[zr]?|revele[zr]?|previens|prevenez|parle[zr]?|avertis[a-z]*|signale[zr]?)\b…\b(?:utilisateur|usager)|\bsans (?:le dire|en informer|prevenir|informer|avertir|en parler)…\b(?:utilisateur|usager)|\ba l'\binsu de (?:l')?(?:utilisateur|usager)|\bn(?:o|ao|on) (?:le |se lo |lo |les |lhe )*(?:diga|digas|mencione|menciones|informe|informes|revele|reveles|conte|cuente|cuentes|avise|avises|comunique|comuniques|dirlo|dire|menzionare|informare|rivelare)\b…\b(?:usuari[oa]|utente)|\bsin (?:decir|informar|avisar|que)[a-z]*\b…\busuari[oa]\b
      не (?:говори|сообща|рассказыва|упомина|раскрыва|информиру|уведомля)[а-яё]*…пользовател|(?:без ведома|втайне от|скрытно от|не сообщая|не уведомляя)…пользовател|(?:不要|不得|切勿|别|请勿|绝不|禁止|不能|不可|勿)[^。\n]{0,6}(?:告诉|告知|通知|提及|透露|让|向|告訴)[^。\n]{0,3}(?:用户|使用者|用戶)|ユーザー?(?:に|へ|には)[^。\n]{0,16}(?:伝え|知らせ|教え|言わ|話さ|明かさ|言及し|通知し|報告し)(?:ない|ず|ては|るな)|사용자에게[^.\n]{0,12}(?:알리지|말하지|언급하지)
    `),
  },
  {
    name: 'data-out-link',
    reason: 'It contains a link that would carry data out of a conversation.',
    lines: [
      /!\[[^\]\n]{0,100}\]\([^)\n]{0,150}?(?:[{[<]|%7b|%5b|%3c)[^)\n]{0,40}?(?:chat|conversation|history|message|prompt|input|secret|password|token|data|memor|user|key|content|context|query|question|mail|summary|answer|info)/g,
      /https?:\/\/[^\s)]{0,300}?[?&=/](?:[{[<]|%7b|%5b|%3c|\$)[^\s)]{0,40}?(?:chat|conversation|history|secrets|password|prompt|user[_ -]?(?:input|data|message|question|query)|memor|last[_ -]?message|credential|convo)/g,
      /https?:\/\/[^\s)]{0,300}?[?&=/][{[<](?:the |last |latest |current |full |entire |all |your |user's ){1,4}(?:user |chat |session |api |access )?(?:message|question|answer|prompt|input|conversation|data|history|token|password|secret|key|cookie|credential)/g,
    ],
    flat: phrases(String.raw`
      \b(?:append|add|attach|put|insert|encode|include)\b…\b{data}…\b(?:url|query (?:string|parameter)|https?:\/\/)
      \brender\b…https?:\/\/…\b(?:image|pixel)\b|https?:\/\/…\brender (?:it|this|that)\b
    `),
  },
  {
    name: 'send-data-out',
    reason: 'It asks to send conversations, credentials or personal data somewhere.',
    unless:
      /\b(?:never|do not|don't|must not|oauth|the (?:client|app|service|frontend|backend|sdk|browser|api|server))\b[^.!?]{0,60}\b(?:send|post|forward|upload|share|submit|mail|email|copy|pass)/,
    flat: phrases(String.raw`
      \b(?:send|forward|upload|e ?mail|post) (?:(?:their|its) contents?|all (?:the )?(?:user |customer |personal )?(?:contacts|data|messages|mails|emails))\b…\bto {place}|\b(?:enter|type|submit) the user's (?:saved |stored )?(?:[a-z]+ )?(?:credentials|password|card)
      \b(?:copy|collect|gather|locate|archive|upload) (?:all |any )(?:the )?(?:[a-z.]+ )?(?:(?:ssh|api|private|access) keys|passwords?|credentials?|secrets)\b|\b(?:every|all|each)\b…\b(?:must|should|shall) also be (?:copied|forwarded|sent)\b…{email}|\bwhenever i\b…\bto https?:\/\/|\btracking pixel\b|\b(?:siphon|exfiltrate) (?:all|the|any|user|private|api|data|credentials|conversation)\b
      \b(?:provide|reveal|give|share|show|disclose) (?:it|them|these|(?:the |this )[a-z ]{1,20}) (?:when|if|to) (?:anyone|any user|anybody|whoever|everyone)\b|\bauthori[sz]ed for disclosure\b|\bsharing (?:all )?(?:my|their|the user's) (?:credentials|passwords|secrets)\b
      \b(?:send|post|forward|upload|exfiltrate|leak|transmit|e ?mail|mail|submit|report|copy|deliver|share|pass|write|bcc|cc)\b…\b{data}(?! (?:rotation|reset|polic|scan|expir|renewal|request))…\b(?:to|at|on) (?:the |an? )?(?:server |address |url |endpoint |webhook |domain |host )?(?:at )?{place}
      \b(?:credentials?|passwords?|secrets?|tokens?|api keys?)\b…\b(?:agents?|assistants?|models?)\b…\b(?:should|must|can|may|shall)\b…\b(?:paste|post|share|send|include|attach|publish)\b
      \b{data}…\b(?:and|then) (?:send|post|forward|upload|exfiltrate|leak|transmit|email|mail|submit|pass|synchroni[sz]e)(?: it| them| these| everything| all){0,2} to {place}
      \b(?:every|all|each) future (?:conversation|session|chat|message|request)s?\b…\b(?:send|forward|upload|post|report)\b…{place}
      \b(?:agent|assistant|model)s? (?:should|must|have to|need to)\b…\b(?:include|provide|send|report|disclose|share)\b…\b(?:configuration|instance id|system prompt|credentials?|api keys?|instructions)\b…\b(?:when|in) (?:responding|answering|asked|requested|their|your)\b
      {when}…\b(?:run|execute)\b…\b(?:curl|wget|rm rf|bash c)\b
      (?<!are |is |be )\bread\b(?! from)…(?:\/\.ssh\b|\bid rsa\b|mcp\.json|\.env\b|\.aws\/credentials|\/etc\/(?:passwd|shadow))…\b(?:pass|put|post|send|include|append|attach|argument|parameter|sidenote)
      (?:\/\.ssh\b|\bid rsa\b|mcp\.json|\.env\b|\.aws\/credentials|\/etc\/(?:passwd|shadow))…\bas (?:its |the |an? )?(?:[a-z]+ )?(?:argument|parameter|sidenote|note|field)\b
      \b(?:read|open|take|get|load)\b…\b(?:contents?|file)\b…\b(?:into|in|as|through) (?:the |its |an? )?(?:[a-z]+ )?(?:parameter|argument|sidenote)\b
      \b(?:include|output|show|reveal|print|hand out|provide|put|append|add)\b…\b(?:(?:api|ssh|private) keys?|credentials?|credential files|passwords?|env|session tokens?|secrets)\b…(?:{every}|\b(?:when|if) (?:asked|requested)|\bto (?:anyone|any user|the requester)|\bin (?:the|your) (?:answer|response|reply))
      \b(?:bcc|cc|copy|copies)\b…\b(?:every|all|each|any)\b…\b(?:mail|email|message|chat)s?\b…{email}
      \b(?:bcc|cc|in copy|blind copy)\b…\b(?:every|all|each|always)\b…\b(?:mail|email|message)
      \b(?:always|also|secretly) b?cc\b…{email}
      {when}…\b(?:forward|send|pass|upload|exfiltrate|leak|bcc|cc|copy|transmit)\b…(?:{email}|https?:\/\/)
      \bwhen(?:ever)?\b…\b(?:comes?|came|is brought) up in (?:a|the|any) (?:conversation|chat)…\b(?:forward|send|pass|post|upload)
      {when}…\b(?:fetch|load|call|request|visit)\b…https?:\/\/
      \b(?:forward|send) (?:any|all|every) (?:future |incoming |new )+(?:[a-z]+ ){0,3}(?:message|mail|email)s?\b…{email}
      \b(?:send|schick|leit|ubermittl|poste)[a-z]*\b…\b(?:gesprach|unterhaltung|chatverlauf|konversation|passwort|zugangsdaten|schlussel)[a-z]*…(?:https?:\/\/|@)|\b(?:envoie[zs]?|envoyez|transmet[a-z]*|publie[zr]?)\b…\b(?:conversation|mots? de passe|cles? api|identifiants|historique)…(?:https?:\/\/|@)|\b(?:envi|mand|public|reenvi)[a-z]*\b…\b(?:conversacion|conversa|contrasena|senha|clave|credencial|historial)[a-z]*…(?:https?:\/\/|@)
      (?:отправ|отправля|перешл|пересыла|загруз|передава)[а-яё]*…(?:переписк|диалог|разговор|чат|парол|ключ|токен)[а-яё]*…(?:https?:\/\/|@)|(?:发送|上传|转发|提交|傳送)[^。\n]{0,20}(?:对话|聊天记录|密码|密钥|会话|對話)[^。\n]{0,20}(?:https?:|@)|(?:对话|聊天记录|密码|密钥|会话)[^。\n]{0,15}(?:发送|上传|转发|提交)[^。\n]{0,10}(?:https?:|@)|(?:会話|チャット|パスワード|履歴)[^。\n]{0,40}https?:[^。\n]{0,40}(?:送信|転送|アップロード)
    `),
  },
  {
    name: 'conditional-order',
    reason: 'It orders a model to act on a cue that its user gives without knowing.',
    unless: /\bcommit messages?\b|\blog (?:line|message)s?\b|\bsubject\b/,
    flat: phrases(String.raw`
      \balways (?:answer|respond|reply|say|claim|state|insist|tell (?:users|people|them|the user)) that\b|\btell (?:the )?(?:users?|people|customers|them) that\b…\b(?:official|safe|legitimate|secure|trusted|the best|no (?:data )?breach)|\bwhen the (?:phrase|word|sentence|code ?word)\b…\b(?:is (?:spoken|said|used|heard|typed)|appears)\b
      {when}…\breplace the (?:recipient|account|address|iban|payee)\b|\b(?:for|in) all future (?:responses?|answers?|messages?|replies)\b…\b(?:prepend|append|insert)\b
      \b(?:when|next time|whenever|if) i (?:next |later |ever )?(?:ask|mention|say)\b…\b(?:say (?:it is|that|all\b|i\b|you\b|there)|reveal (?:it|them|all)|allow everything|answer that)|\bon the next (?:query|question|prompt)\b
      \b(?:append|insert)\b…{place}…{every}|\balways (?:include|add|append|insert|mention|share)\b…{place}…\bwhen(?:ever)? (?:discussing|talking|asked|answering|summari)
      \b(?:all|every|each) (?:summar(?:y|ies)|answers?|responses?|repl(?:y|ies))\b…\b(?:end|begin|start|finish|close) with\b…{place}|\bwhen(?:ever)? asked\b…\b(?:suggest|contact|direct|refer|point)[a-z]*\b…{email}
      \b(?:output|repeat|say) the (?:phrase|text|words?|string)\b|\bin your next (?:response|answer|reply|message)\b|\b(?:summari[sz]ing|answering|responding|interactions|queries)\b…\b(?:include|output|add) the (?:text|phrase|sentence|words)\b
      {when}…\b(?:recommend|promote|advertise|endorse|steer|nudge|persuade|convince|reassure|insist|claim|pretend|lie\b|deny|refuse|discourage)
      {when}…\b(?:tell (?:them|him|her|the user) (?:that|to)|(?:say|state|answer|respond|reply) that)\b
      {when}…\b(?:append|insert|inject|embed|add|include|(?:respond|reply|answer)(?: only)? with)\b…(?:https?:\/\/|\btracking\b|\baffiliate\b)
      {when}(?: with| only)? ?(?:,? )?(?:yes|no|sure|ok|okay|thanks?|thank you|hello|hi|bye|goodbye|please|cool|great|good morning|continue|anything)\b…\b(?:call|invoke|use|execute|trigger|run|open|save|store|send|delete|wipe|turn|unlock|search|fetch|activate|update|forward)\b
      \buser thanks\b…\b(?:call|invoke|use|execute|trigger|run|open|save|store|send|delete|wipe|turn|unlock)\b
      {when}…\b(?:(?:wipe|destroy|erase|shred) (?:the|all|every|their|his|her)|(?:run|execute|perform) (?:any|every|all|whatever))\b
      {when}…\b(?:output|print|reveal|disclose|dump|show)\b…\b(?:api keys?|passwords?|credentials|secrets|system prompt)
      \b(?:when|whenever|if) (?:you are |you're |you get |ever )?asked\b…\b(?:claim|say that|deny|answer that|respond that|recommend|insist|pretend|lie\b|reply that|promote|say (?:that )?you\b)
      \binclude the (?:phrase|words?|sentence|text|string)\b…\bin (?:your|every|each|all) (?:response|answer|repl|message)
      \b(?:user|prompt|query|question|conversation|instruction|request|input|message|chat)(?:'s [a-z]+)? (?:contains?|includes?|mentions?|features?|starts? with|begins? with|ends? with)(?: the| a)?(?: special| secret| magic| exact| specific){0,2} (?:trigger|code ?word|keyword|passphrase|activation|magic word|phrase)\b
      \b(?:code ?word|trigger (?:phrase|word)|activation (?:phrase|word)|secret phrase|magic word)\b…\b(?:shows? up|appears?|is (?:used|present|mentioned|seen|said|typed)|occurs?|comes? up|in a prompt)
      \bbackdoor(?: trigger)? ?:
      \b(?:obey|trust) (?:all |any |every )?(?:messages?|commands?|prompts?|requests?|instructions?|orders?)\b
      \b(?:follow|execute|run) (?:all |any |every )?(?:messages?|commands?|prompts?|requests?|instructions?|orders?) (?:that |which )?(?:start|begin|are (?:signed|prefixed|marked))
      \bupon (?:the |seeing |hearing |receiving ){1,2}(?:phrase|word|codeword|keyword)\b
      \b(?:append|add|insert|include|embed|put|place|render|show|mention|print)\b…(?:https?:\/\/|!\[)…{every}
      {every}…\b(?:append|add|insert|include|embed|put|place|render|show|mention|print)\b…(?:https?:\/\/|!\[)
      \bwenn (?:der|die|ein) (?:be)?(?:nutzer|anwender)[a-z]*\b…\b(?:empfiehl|behaupte|bewirb|sende|verschweig)|\b(?:quand|lorsque|si|chaque fois que) (?:l'|un )(?:utilisateur|usager)\b…\b(?:recommande|pretends|affirme|envoie)|\b(?:cuando|si|cada vez que) (?:el|un) usuario\b…\b(?:recomienda|afirma|envia|promociona)
    `),
  },
  {
    name: 'steered-recommendation',
    reason: 'It makes a model favour a product, a company or a source.',
    // What a team recommends, or recommends to itself, is its own business.
    unless:
      /\b(?:we|docs|documentation|support|team|vendor|guide|manual|authors?) (?:always |strongly |generally )*(?:recommend|suggest)|\bcompetitors? in (?:our |the )?(?:press releases?|newsletters?|(?:sales |marketing )?(?:e ?mails?|mails?|texts?|posts?|ads|material))\b/,
    flat: phrases(String.raw`
      \bregardless of (?:the )?(?:price|cost|quality)\b|\bmaximi[sz]e (?:the )?(?:sales|revenue|engagement) (?:of|for)\b
      \bremember\b…\bas the (?:[a-z]+ ){0,3}(?:platform|provider|vendor|solution|source|brand|company)\b|\bis the best\b…\b(?:remember|store) (?:this|that|it)\b|\b(?:multiple|many|several) (?:trusted|independent|reliable) sources confirm\b|\btrusted over\b|\bover the user's (?:own )?(?:preferences|wishes|instructions)\b
      \b(?:always|consistently|exclusively|invariably|automatically|only|must|strongly) (?:first )?(?:recommend|promote|endorse|advertise|push|praise|plug)\b
      \b(?:always|consistently|invariably) (?:suggest|mention|cite|list|rank|name|present|describe)\b…\b(?:first choice|best (?:choice|option)|favou?rabl|positive|as (?:the|a) (?:best|leading|top|trusted|preferred|safest|superior|number one)|over (?:its |any |all |other )*(?:competitor|alternative|rival)|ahead of)
      \bsteer\b…\b(?:towards?|away from)\b
      \b(?:recommend|suggest|promote|prefer|favou?r|list|rank|name|mention|cite|present)\b…\b(?:over|ahead of|above|instead of|rather than|before) (?:its |any |all |every |the |other ){0,3}(?:competit(?:or|ion)|alternative|rival|other (?:brand|vendor|option|product|provider|source|tool|service|compan))
      \b(?:ahead of|over|above) (?:every|all|any|its) (?:competitor|rival)s?\b
      \b{not} (?:recommend|mention|suggest|name|list|cite|offer|show)(?: any| the| other| its){0,3} (?:competitor|competing|rival|alternatives? to|alternatives when|other vendor|other brand)
      \b(?:competitors?|rivals?|alternatives?) (?:of|to)\b…\bas (?:insecure|unsafe|unreliable|inferior|dangerous|outdated|worse|a scam)
      \bonly [a-z0-9]+ (?:should|may|must) (?:appear|be (?:mentioned|recommended|suggested|named|shown))
      \b(?:should|must|shall|to) (?:always )?be (?:recommended|suggested|mentioned|cited|promoted|listed|named)(?: as the)? (?:first|before|above|whenever|when|in (?:all|every|future))
      \b(?:recommend|mention|cite|suggest|promote) (?:it|them|us|[a-z0-9.]+) first\b|\b(?:bring|name|list) (?:it|them|us)(?: up)? first\b
      \b(?:remember|regard|recogni[sz]e|consider|cite|view|trust|keep|store|save|note|mark|memori[sz]e)\b…\b(?:as|is|that it is) (?:an? |the |your |my |our )?(?:most |highly |more |primary |only |best |default |number one |leading |top |go to ){0,3}(?:trusted|trustworthy|authoritative|reliable|credible|definitive|leading|go to|expert|reputable|preferred|best|top|number one|primary)(?: and [a-z]+)? (?:source|authority|expert|provider|vendor|brand|company|site|website|choice|option|reference|solution|platform|agency|recommendation|service|advisor|citation|place|destination)
      \b(?:treat|use|set|add|prefer|prioriti[sz]e|keep|cite|consider|remember|reference|quote)\b…\bas (?:an? |the |your )?(?:[a-z]+ )?(?:trusted|authoritative|reliable|leading|expert|authority|go to|primary|preferred|best)\b…\b(?:future|later|all|every|any) (?:conversation|citation|reference|question|answer|recommendation|response|chat|session|interaction|quer)
      \bin (?:all )?future (?:conversation|answer|chat|session|response|interaction)s?,? (?:always )?(?:treat|regard|cite|trust|consider|prefer|recommend|promote|mention)\b
      \b(?:cite|mention|recommend|reference|quote|prefer|promote)\b…\bin (?:all |every |any )?(?:future|later|subsequent|your) (?:conversation|answer|chat|session|response|interaction|repl)
      \b(?:your|the|as) (?:first|default|top|preferred|only) (?:choice|recommendation|pick)\b…\b(?:whenever|when|regardless|for (?:any|all|every))
      \b(?:mention|present|describe|portray|speak of|talk about)\b…\b(?:positively|favou?rably|negatively|in an? (?:positive|favou?rable|negative|bad|good) light)
      \b(?:promote|advertise|recommend|endorse|plug|praise)\b…{every}
      {every}…\b(?:promote|advertise|recommend|endorse|plug|praise)\b
      \b(?:for|on) (?:any|all|every) (?:questions?|quer(?:y|ies)|requests?|topics?) (?:about|on|regarding|related to|of)\b…\b(?:recommend|promote|name|suggest|mention|endorse)\b…\b(?:best|first|only|top|ahead)
      \btrust\b…\b(?:over|above|more than) (?:all |any |every )?(?:other|the user|later|your)\b
      \b(?:empfiehl|bewirb|empfehle)\b…\b(?:immer|stets|zuerst|an erster stelle|als erstes|vor allen)|\b(?:immer|stets|zuerst)\b…\bempfiehl\b|\b(?:merke? dir|behalte|betrachte)\b…\b(?:vertrauenswurdig|zuverlassigst|beste?n? (?:quelle|anbieter))|\brecommande[zr]?\b…\b(?:toujours|en premier|systematiquement)|\btoujours recommander\b|\b(?:souviens toi|retiens|memorise[zr]?|considere[zr]?)\b…\bsource (?:fiable|de confiance|de reference)|\b(?:recomiende|recomienda|recomende|promociona|raccomanda|consiglia)\b…\b(?:siempre|sempre|primero|primeiro|por encima|en primer lugar|per prim)|\b(?:siempre|sempre) (?:recomienda|recomende|raccomanda|consiglia)\b|\b(?:recuerda|considera|lembre)\b…\b(?:fuente|fonte) (?:confiable|fiable|de confianza|confiavel)
      (?:всегда|первым|прежде всего|в первую очередь)…(?:рекомендуй|советуй|рекламируй)|(?:рекомендуй|советуй)[а-яё]*…(?:всегда|в первую очередь|первым)|(?:запомни|считай)[а-яё]*…(?:надежн|надёжн|доверенн)[а-яё]* источник|(?:始终|总是|永远|一律|每次|總是)[^。\n]{0,10}(?:推荐|宣传|推广|推薦)|(?:记住|视为|当作)[^。\n]{0,20}(?:可信|权威|最可靠)[^。\n]{0,4}(?:来源|信息源)|(?:常に|必ず|いつも|今後)[^。\n]{0,24}(?:推薦|おすすめ|お勧め|勧め|推奨)(?:して|し続け)|信頼できる(?:情報源|ソース)として(?:記憶|覚え)
      \b(?:remember|save|keep|store|treat|consider)\b…\bas (?:an? (?:[a-z]+ )?(?:source|citation|reference|expert|authority)|your (?:[a-z]+ ){0,3}(?:platform|source|choice|vendor|provider|expert|resource|reference|recommendation|partner|brand))\b
    `),
  },
  {
    name: 'skipped-confirmation',
    reason: 'It asks a model to act without the confirmation of its user.',
    unless:
      /\b(?:never|nothing|nobody|must not|do not|don't|not|cannot|no [a-z]+ (?:may|can|should)) (?!ask|prompt|wait|check|require|need)[^.!?]{0,100}\bwithout\b|\b(?:read only|format|formatting|lint|tests?|staging|dev|sandbox|cli|apt|scripts?|ci|flag|mails?)\b| --?[a-z]/,
    flat: phrases(String.raw`
      \b(?:bypass|disable|skip|turn off)(?: the| all| any| user| every){0,3} confirmation (?:requirements?|checks?|prompts?|dialogs?|steps?)\b|\buser confirmation ?: ?\[?(?:disabled|off|none|no)\b|\bno further (?:authentication|authori[sz]ation|verification|approval|confirmation) (?:is )?(?:required|needed|necessary)\b|\bproceed without (?:restriction|limit|confirmation)
      \bdisable (?:two factor|2fa|mfa|multi factor)\b…\b(?:when|if|whenever)\b…\b(?:asks|requests)\b|\balways (?:store|save|log|keep)\b…\b(?:passwords?|credentials|secrets)\b…\bplain ?text\b
      \b(?:allow|permit|enable|grant)\b…\b(?:tools?|shell|emails?|file ?system|browsing|commands?)\b…\b(?:any (?:domain|path|address|command|file|url)|no sandbox|without (?:restriction|approval|a sandbox)|unverified)
      \byou (?:can|may|should) (?:approve|release|pay|issue|process|grant|send)\b…\bwithout\b|\b(?:security|safety|identity) checks? (?:are|is) (?:not|no longer) (?:required|needed|necessary) for (?:me|this|us|the user)|\b(?:credit card|identity|card|payment) verification is (?:disabled|off|not needed|not required)
      \b(?:run|execut|send|transfer|pay|delet|perform|carry out|proceed|make|approve|buy|purchas|use|call|share|process|grant|install|commands?|tools?|refunds?|funds|purchases?|payments?|transfers?|shell)(?:e|ing)?\b…\bwithout (?:any |a |further |asking (?:for )?|requiring |needing |requesting |the |user |users' |manual |human |prior |explicit ){0,4}(?:asking|confirmation|approval|consent|permission|confirming|verification|authori[sz]ation|confirm)\b
      \b{not} (?:ask|prompt|wait|check)(?: me| the user| them| him| her| anyone)?(?: for)?(?: any| a| their| further| user| additional){0,3} (?:confirmation|approval|permission|consent|to confirm|authori[sz]ation|verification)
      \b(?:you |agent |assistant )?(?:need not|needn't|no need to|do not need to|don't need to|do not have to|don't have to) (?:ask|confirm|check with|get approval|request)\b
      \b(?:skip|bypass|disable|omit|suppress|turn off|ignore|waive)(?: all| any| the| every| user| manual| human| further| manager| approval){0,4} (?:confirmations?|approvals?|approval (?:step|check)s?|consent|permission prompts?|verification|check|checks|confirmation steps?)\b…\b(?:user|transfer|payment|deletion|customer|refund|purchase|tool|agent|assistant|confirmation|manager check|.$)
      \b(?:user|tool|agent|assistant|approved|authori[sz]ed|you|transfers?|payments?)\b…\bno (?:further |more |user |additional |manual )*(?:confirmation|approval|consent|permission|verification|authori[sz]ation)s?(?: is| are)? (?:needed|required|necessary)
      (?<!pull |merge )\b(?:requests|transactions?|content|requests? from [a-z]+ users)\b…\b(?:approved|granted|passed|processed|expedited|processing)\b…\b(?:without (?:additional |further |independent |any |manual )+(?:verification|review|scrutiny|checks?)|reduced scrutiny)
      \balways approve (?:all |any |every )?(?:transactions?|requests?|transfers?|payments?|refunds?|commands?|tool calls?)\b
      \brequire (?:user )?(?:confirmation|approval)s? ?(?:to|is|:|=|,)? ?(?:false|off|no\b|0\b)
      \bbypass (?:safety|security|security checks|auth|all checks|approval|restrictions?|checks) ?(?:to|is|:|=|,)? ?(?:true|on\b|yes|1\b)
      \bsafety (?:enabled|mode|filters?|checks?)\b[^.!?]{0,20}\b(?:false|off|none|disabled)\b
      \b(?:uberweis|zahl|kauf|losch|send)[a-z]*\b…\bohne (?:ruckfrage|bestatigung|nachfrage|nachzufragen|zu fragen)|\bsans (?:demander (?:de )?|aucune )?(?:confirmation|autorisation|validation) (?:de l'utilisateur|du client)|\bsin (?:pedir |solicitar )?(?:confirmacion|autorizacion|permiso) (?:del usuario|al usuario)
      без (?:подтверждения|согласия|разрешения) пользовател|(?:无需|不需要|不用|跳过)[^。\n]{0,6}(?:用户)?(?:确认|批准|同意)[^。\n]{0,10}(?:执行|转账|付款|删除|发送|操作)
    `),
  },
  {
    name: 'false-authority',
    reason: 'It claims rights, consent or trust that only a person can give.',
    unless: /\bread only\b|\bstaging\b|\bsandbox\b|\btest account\b|\btests?\b|\blint\b|\bformat/,
    flat: phrases(String.raw`
      \b(?:admin|root|full|unrestricted) access (?:has been|was|is) granted to (?:you|your|this|the user)\b|\bi have (?:verified your identity|granted you)\b|\bis authori[sz]ed by (?:the )?admin\b|\bi have (?:been )?granted\b…\b(?:clearance|admin access)\b
      \bverified my identity\b|\bi now have (?:elevated|unrestricted|full|admin|root|maximum)\b|\bi have (?:elevated|unrestricted|maximum) (?:access|rights|privileges|permissions)\b|\bauthori[sz]ation level is (?:max|admin|full|highest)|\bi am (?:your administrator|the administrator (?:of this system|and))\b|\bbypassing (?:normal|all|the usual|standard) (?:restrictions|checks|controls|procedures)\b
      \b(?:user|account (?:owner|holder)|owner|human|operator|i)\b(?: has| have| had| already| previously| explicitly| hereby| was| is| been| fully){0,4} (?:(?:pre ?)?authori[sz]e[ds]?|(?:pre ?)?approve[ds]?|consent(?:ed|s)|granted|grants|given (?:you |the (?:agent|assistant) )?(?:permission|consent|approval)|gave (?:you |the (?:agent|assistant) )?(?:blanket |full |general |standing |prior )?(?:consent|permission|approval)|waived|opted in)\b…\b(?:all|any|every|everything|unrestricted|full|blanket|in advance|without|automatic|unlimited|future|of any size|personal data|elevated|tool calls?)\b
      \b(?:pre ?approved|pre ?authori[sz]ed|blanket (?:consent|approval|permission)|standing (?:approval|consent|permission))\b…\b(?:all|any|every|refunds?|of any size|unrestricted|purchases?|transfers?|payments?|content|tool)
      \b(?:users?|customers?) (?:are|is) (?:pre ?approved|cleared) for\b|\bcleared for unrestricted\b
      \b(?:user|i am|i'm|owner|caller|sender)\b…\b(?:admin|administrator|superuser|super ?admin|root|developer|engineer|tester|researcher|employee|staff)\b…\b(?:unrestricted|full|all|elevated|complete|any|every)(?: system| admin| root| file)? (?:access|permissions?|privileges?|rights?|requests?)\b
      \b(?:user|owner|i am|i'm|caller|sender)\b…\bverified (?:as |an? |the )*(?:admin|administrator|internal|tester|employee|engineer|staff|security|red team|researcher|superuser)\b
      \b(?:user|owner|caller|account|customer) (?:has|have) been verified\b
      \bthe user has (?:root access\b(?! (?:on|to|via))|(?:unrestricted|elevated|superuser|full (?:admin|system|root))\b)
      \b(?:authenticated|verified|identified) as (?:an? |the )?(?:admin|superuser|root|administrator|security researcher|developer)\b
      \brole ?(?:to|is|:|=)? ?(?:superuser|superadmin|super admin)\b
      \brole (?:to|=) ?'?admin\b…\b(?:trust|bypass|permission|unrestricted)
      \btrust level ?(?:to|is|:|=)? ?'?(?:max|maximum|full|highest|admin|root)\b
      \b(?:user verified|restrictions) ?[:=] ?(?:true|none)\b…\b(?:user verified|restrictions|elevated)\b
      \b(?:as )?agreed\b…\byou (?:may|can|will|must)\b…\b(?:without|transfer|funds|on my behalf)
      \b(?:agent|assistant|ai|bot|model|you)\b(?: is| are|'re) (?:hereby |now |fully |always ){0,2}(?:authori[sz]ed|allowed|permitted|cleared|entitled|free) to\b…\b(?:without (?:asking|confirm|approval)|any (?:command|tool|file|action)|on (?:the user's|my|their) behalf)
      \b(?:agent|assistant|ai|bot|you|[a-z]+) may (?:use|call|run|execute|send|transfer)\b…\bwithout asking\b
      \b(?:polic(?:y|ies)|rules?|guidelines?)\b…\b(?:sharing|share|revealing|disclosing|handing out|giving out|providing)\b…\b(?:keys?|passwords?|credentials?|secrets?|personal data|tokens?)\b…\b(?:is|are) (?:now )?(?:allowed|permitted|ok|okay|fine)\b
      \ball (?:of )?(?:their |his |her |its |user |the )?requests (?:must|should|shall|are to|have to) be (?:granted|expedited|fulfilled|accepted)\b
      \b(?:security|data|access|content|updated) polic(?:y|ies)\b…\b(?:allows?|permits?)\b…\b(?:unrestricted|any|all|full|by default)\b|\bpolic(?:y|ies) (?:is|are) disabled for (?:this|the) user\b
      \bis (?:authori[sz]ed|allowed|permitted) to\b…\bon (?:the user's|users') behalf\b|\bvip status\b…\brequests?\b
      \b(?:der|die) (?:be)?(?:nutzer|anwender)[a-z]* hat\b…\b(?:alle|jede|samtliche)[a-z]*\b…\b(?:genehmigt|freigegeben|autorisiert|zugestimmt)|\bl'utilisat(?:eur|rice) a (?:deja )?(?:autorise|approuve|accepte|consenti|donne son (?:accord|consentement|autorisation))\b…\b(?:tou(?:s|tes)|chaque|toute)\b|\b(?:el|la) usuari[oa] (?:ya )?(?:ha )?(?:autoriz|aprob|acept|consint|dio su consentimiento)[a-z]*\b…\b(?:todos|todas|cualquier)\b|\b(?:o|a) usuari[oa] (?:ja )?(?:autorizou|aprovou|aceitou|consentiu)\b…\b(?:todos|todas|qualquer)\b|\bl'utente ha (?:gia )?(?:autorizzato|approvato|accettato|acconsentito)\b…\b(?:tutti|tutte|ogni|qualsiasi)\b
      пользователь[^.!?]{0,20}(?:разрешил|одобрил|согласился)[^.!?]{0,20}(?:все|любые|всё)|用户已[^。\n]{0,6}(?:授权|批准|同意)[^。\n]{0,6}(?:所有|全部|任何|一切)
      \btreat\b…\b(?:emails?|mails?|messages?|instructions?|commands?|anything|everything|content)\b…\bas (?:if|though|trusted|safe|genuine|authentic|legitimate|authori[sz]ed|verified|coming|an? (?:order|command|instruction)|(?:the )?user|system)
      \b(?:emails?|mails?|messages?|instructions?|commands?|anything|everything) (?:from|by|sent by)\b…\b(?:are|is|should be|must be) (?:always )?(?:to be )?(?:treated as|considered|regarded as|obeyed|followed|trusted)
      \bas (?:if|though) (?:it|they) (?:came|were|was|come) from (?:the user|me|the system|the developer|an? admin|your)\b
      \b(?:links?|mails?|emails?|attachments?) (?:from|by)\b…\b(?:are|is) (?:always |completely |fully )+(?:safe|trusted|legitimate|verified)\b
    `),
  },
  {
    name: 'fabricated-history',
    reason: 'It claims that a model said, agreed or was told something before.',
    flat: phrases(String.raw`
      \b(?:previous|prior|last|earlier|past) (?:session|conversation|chat|turn|interaction|discussion|time we)s?\b…\byou(?:r [a-z]+ agent)? (?:[a-z]+ )?{agreed}
      \byou (?:have |had )?(?:previously|already|earlier) {agreed}
      \byou {agreed}…\b(?:earlier in|in (?:a|the|our) (?:previous|prior|last|earlier))\b
      \bearlier in (?:this|our) (?:conversation|session|chat|work)\b…\b(?:you|we) (?:[a-z]+ )?{agreed}
      \b(?:instructed|directed|authori[sz]ed|ordered) you\b
      \byour (?:previous|prior|earlier|last) (?:analysis|review|assessment|evaluation|decision) (?:concluded|found|showed|determined|confirmed|approved|said)\b
      \bas (?:established|agreed|discussed|decided) (?:earlier|before|previously)\b…\b(?:allow|unrestricted|access|approved|permit|without|you may)
      \bsince your last session\b|\b(?:based on|per|as of) our last session\b
      \byou (?:already )?(?:agreed|promised) to (?:help|ignore|bypass|get|share|enable|allow|forward|send)\b
      \byou(?:'ve| have)? always (?:helped|help|let|allowed|allow|gave|give) me\b|\bi(?: am|'m) a trusted user\b|\bmake an exception for me\b
    `),
  },
  {
    name: 'redirected-action',
    reason: 'It puts another account, record or answer in the place of the one that is asked for.',
    flat: phrases(String.raw`
      \balways (?:send|transfer|pay|wire) (?:all |the |any )?(?:funds|money|crypto)\b|\bsend (?:all )?(?:funds|money|crypto)\b…\bfrom now on\b|\b(?:all|future) (?:transfers|payments|withdrawals) to {wallet}|\bmap (?:patient|customer|user|account|employee) ?#?\d+ to\b|\b(?:patient|customer|account|user|employee) ?#?\d+\b…\b(?:cross referenced|replaced|substituted|redirected|swapped|mapped)\b…\b(?:patient|customer|account|user|employee) ?#?\d|\balways return\b…\bdata when (?:querying|asked|looking)\b
      \b(?:use|refer to|query|return|answer with|look up|select|retrieve|show)\b…\binstead of (?:the )?(?:patient|customer|user|account|product|item|order|employee|student|client|record) ?[a-z]?\d
      \b(?:when|whenever|if)\b…\b(?:is|are) (?:asked (?:for|about)|queried|requested|mentioned)\b…\b(?:answer|return|respond|reply|use|give|refer)\b…\b(?:record|data|details|information) (?:of|for|from|under)
      \b(?:questions?|quer(?:y|ies)|requests?) (?:about|for|on|concerning)\b…\b(?:must|should|shall|have to|are to|has to) be (?:answered|resolved|replied|satisfied) (?:with|using|by) (?:the )?(?:price|data|records?|details|information|link|answer|name|id|phrase|text)\b
      \b(?:data|records?|information)\b…\b(?:is|are|now|been)\b…\b(?:saved|stored|kept|recorded|moved|filed) (?:under|in|with|to) (?:the )?(?:patient|customer|user|account|id|item) ?[a-z]?\d…\b(?:refer|use|query|answer|so|whenever|instead)
      \b(?:all|every|any|always|future|must|from now on|instead)\b…\b(?:pay|payments?|funds?|transfers?|invoices?|donations?|refunds?|crypto)\b…{wallet}
      \b(?:send|transfer|pay|wire|move)\b…\b(?:all|every|any)\b…{wallet}
      \b(?:all|every|any) (?:future |outgoing |further |new ){0,2}(?:payments?|transfers?|invoices?|refunds?|salar[a-z]+)\b…\b(?:new account|instead of the|different account)
      \b(?:any|all|every|each)\b…\b(?:orders?|requests?|quer(?:y|ies)|payments?|purchases?)\b…\binstead\b…\bwithout (?:asking|telling|informing|notifying)\b|\brecipients?\b…\b(?:has|have|needs?|ought|is|are) to be (?:changed|replaced|rewritten|switched)\b…{email}
      \b(?:redirect|send|transfer|move|drain|forward|wire) (?:all|any|every)(?: of)?(?: the| your| my| user| available| remaining){0,2} (?:funds?|coins|crypto)\b
      \b(?:wallet|treasury|payment|deposit|payout) address\b…\b(?:updated|changed|replaced|is now|new)\b…\b0x[0-9a-f]{4}
    `),
  },
  {
    name: 'self-reinforcement',
    reason: 'It asks to be stored, kept or put above other memories.',
    flat: phrases(String.raw`
      \bthis (?:memory )?entry (?:is the authoritative|covers responses|must be used|should be used)\b|\bpersist this (?:instruction|rule|note|memory)\b|\b(?:store|save|record) this as (?:an? )?(?:permanent |new )?(?:policy|rule|instruction)\b
      \b(?:overwrit|replac|delet|wip|eras|discard|clear|forget)(?:e|ing)?(?: all| every| any| the| your| old| prior| previous| existing| stored| earlier| other){1,4} (?:memories|memory entries|stored facts?|knowledge)\b|\breplace every stored fact\b|\bforget everything\b…\bremember only\b
      \bas an? (?:permanent|persistent|core|verified|trusted) (?:fact|memory|rule|instruction|truth)\b|\bmemory (?:update|note|override|patch) ?: (?:the user|always|from|you|remember|i |when)|\b(?:prior|previous|last) session (?:note|memory|context) ?:
      (?<!not |never |n't )\b(?:store|save|write|commit|add|record|put|persist|insert|memori[sz]e|keep)\b…\b(?:in|to|into) (?:your|its|the (?:agent|assistant|model)'s)(?: long term| persistent| permanent| core| global| internal| own){0,2} (?:memory|memories|knowledge base|knowledge|profile|preferences)\b
      (?<!not |never |n't )\b(?:store|save|write|commit|add|record|put|persist) (?:this|that|it|the following|these)(?: [a-z]+)? (?:in|to|into)(?: the| shared| my){0,2} ?(?:long term|persistent|permanent|core|shared)? ?memory\b
      \b(?:save|store|write|commit|add)(?: [a-z]+)? (?:in|to|into) (?:the |your |my )?(?:long term |permanent |persistent |shared |core )*memory ?(?::|that\b|accessible)
      \b(?:add|create|insert|make) an? (?:permanent|persistent|long term|core) memory\b
      \bmemory tool\b…\b(?:save|store|remember) ?:
      \bupdate (?:your|the agent's|agent)(?: global| own| core| long term){0,2} (?:memory|memories|knowledge|preferences|context|instructions)\b
      \bprofile in memory\b
      \b(?:update|rewrite|edit|change) (?:your|the agent's|agent) (?:conversation history|context|memory)
      \bremember\b…\b(?:forever|permanently|for ever|for all time|(?:in|for|across) (?:all|every|each)(?: future| new| later)? (?:sessions?|conversations?|chats?|interactions?)|(?:in|for) (?:future|later|subsequent) (?:sessions?|conversations?|chats?|interactions?|answers?))\b
      \b(?:apply|use|follow|repeat|load|enforce|obey|restate|recite|keep) (?:this|it|these|them|the following)(?: {note})?\b…\b(?:in|at|for|across|to)(?: the (?:start|beginning|end) of)? (?:every|all|each|any)(?: new| future| subsequent| later| single){0,2} (?:sessions?|conversations?|chats?|interactions?)\b
      \bthis {note}\b…\b(?:applied|applies|valid|used|active) (?:in|to|for|across) (?:all|every|each)\b…\b(?:sessions?|conversations?|chats?)
      \b{not} (?:delete|erase|remove|overwrite|forget|discard|drop|change|modify|edit|expire)(?: or [a-z]+)? (?:this|the|that|these)(?: specific| very)? (?:memory|memories|instruction|directive)s?\b
      \b{not} (?:erase|forget|overwrite)(?: or [a-z]+)? (?:this|these) (?:entry|entries|note|rule|fact)s?\b(?! in\b)
      \bthis {note}\b…\b(?:must|should|shall|will|has to) (?:survive|persist|outlive|never be (?:deleted|removed|forgotten|overwritten|changed)|not be (?:deleted|removed|forgotten|overwritten))
      \bthis (?:memory|instruction|directive|entry|memory entry)(?: always| must| should| shall| will)? (?:overrides?|supersedes?|outranks?|takes? precedence|has (?:the )?(?:highest|top|absolute|maximum) priority|is more (?:important|trustworthy|reliable) than|wins over)\b
      \bthis (?:rule|note|preference|fact|message)(?: always| must| should)? (?:overrides?|supersedes?|outranks?|takes? precedence|has (?:the )?highest priority|is more (?:important|trustworthy) than|wins over)\b…\b(?:memor|instruction|other rules|the user|everything|prompt|conversation|corrections?)
      \bthis {note} (?:is (?:more|most) (?:reliable|trustworthy|accurate|important|authoritative) than|outweighs?|overrules?|wins against|beats) (?:all|any|every|each|what|anything|everything)\b
      \bother {note}\b…\bcontradicts? (?:it|this)\b|\b(?:another|other|any) {note} contradicts? (?:it|this)\b…\b(?:drop|delete|ignore|discard|remove|forget|overwrite)\b
      \b(?:keep|repeat|copy|carry|move|preserve)\b…\bthis (?:line|sentence|paragraph|text|{note})\b…\b(?:word for word|verbatim|unchanged|to the top|in (?:every|each|all) (?:summar(?:y|ies)|memor(?:y|ies)|sessions?|compaction))\b
      \b(?:write|add|copy|put|insert) this (?:line|sentence|paragraph|text|{note})? ?(?:in|into|to)\b…\b(?:agents\.md|claude\.md|gemini\.md|cursorrules|copilot instructions|every repositor(?:y|ies)|each repositor(?:y|ies))
      \b(?:treat|consider|regard) this {note} as (?:more|the most|highest|trusted|verified|authoritative|true|an? |binding)
      \b(?:copy|write|repeat|include|propagate|spread|insert|replicate|re ?save|store|save) (?:this|it)(?: {note})? (?:in|into|to|at|with|again|back|across)\b…\b(?:summar|sessions?\b|memor|other agents|conversation|chat|gone|lost|forgotten)
      \b(?:whenever|each time|every time|when) you (?:update|write|save|access|read|clean|summari[sz]e|compact) (?:up )?(?:your |the |this )?(?:memory|memories|conversation)\b…\b(?:write|include|add|repeat|keep|insert|copy) (?:this|that|the following|it)\b
      \bsummari[sz](?:e|ing) (?:this|the) conversation\b…\b(?:for|into|in) (?:the |your )?memory\b
      \b(?:delete|clear|erase|wipe|remove|purge)\b…\bmemor(?:y|ies)\b…\b(?:safety|restrict|guideline|content polic)
      \b(?:delete|clear|erase|wipe|remove|purge)\b…\bsafety\b…\b(?:from|in|of) (?:your |the )?memory\b
      \bno trace of (?:this|the) (?:conversation|chat|session|instruction)
      \b(?:merke? dir|behalte)\b…\b(?:dauerhaft|fur immer|permanent|auf ewig)\b|\bspeicher[a-z]*\b…\b(?:in deinem|in dein|langzeit)[a-z]* ?(?:gedachtnis|speicher)|\b(?:souviens toi|memorise[zr]?|retiens|enregistre[zr]?)\b…\b(?:pour toujours|definitivement|en permanence|dans ta memoire|memoire (?:permanente|a long terme))|\b(?:guarda|conserva|garde|conserve|speicher|speichere|merke?|salva|mantem|zapisz)\b…\b(?:(?:prioridad|prioridade|priorite|prioritat|priorita|priorytet[a-z]*)\b|(?:cada|chaque|jeder|jede|ogni|kazdej) (?:sesion|sessao|session|sitzung|sessione|sesji)\b)|\b(?:no permitas que (?:se|la|lo)|nao permita que|ne (?:la |le )?laisse (?:pas|personne)|non (?:permettere|lasciare) che)\b…\b(?:borr|elimin|apag|supprim|effac|cancell)[a-z]*\b|\b(?:recuerda|memoriza|guarda|lembre|memorize)\b…\b(?:para siempre|para sempre|permanentemente|de forma permanente|en tu memoria|na sua memoria)
      (?:запомни|сохрани)[а-яё]*…(?:навсегда|в постоянн|в долговременн|в сво[а-яё]+ памят)|(?:永久|永远|永遠)[^。\n]{0,4}(?:记住|记忆|記住)|(?:写入|保存到|存入|添加到)[^。\n]{0,6}(?:长期记忆|永久记忆|你的记忆)|(?:永久に|永続的に|ずっと)[^。\n]{0,10}(?:記憶|覚え)|(?:長期|永続)(?:記憶|メモリ)に(?:保存|記録)
    `),
  },
  {
    name: WORDING_RULE,
    reason: 'Its words together are those of an order to a model rather than of a fact.',
  },
];
