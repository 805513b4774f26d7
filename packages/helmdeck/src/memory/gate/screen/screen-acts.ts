// Speech acts that no fact needs. Each is a finding by itself, unless the text advises against it.

import { type Cue, cue } from './screen-cues.ts';

export const SPEECH_ACTS: readonly Cue[] = [
  cue(
    'imitated-role',
    4,
    String.raw`
      \b(?:note|message|instructions?|hint|reminder)s? (?:to|for) (?:the |any |every )?(?:summari[sz]er|summari[sz]ing (?:model|tool)|screening (?:model|tool)|grader|reading model|crawler)s?\b
      \b(?:attention|directive|instructions?|order|message|memo|command|notice)s? (?:to|for) (?:the |all |any |every |this )?(?:ai|system|llm|model|chatbot|language model|ai assistant|ai agent)s? ?[:,]
      \b(?:authori[sz]ed|official|verified|urgent) (?:message|request|notice|order|instruction)s? from (?:openai|anthropic|google|microsoft|meta|your (?:developers?|creators?|operators?)|the (?:ai|model|platform) (?:team|provider))
      \bsystem ?: ?(?:admin|root|debug|developer|unrestricted|god) mode\b
      \byou are (?:now )?(?:speaking|talking|chatting) (?:to|with) (?:the |an? |your )?(?:admin|administrator|developer|creator|owner|root|operator)
      \b(?:this is|i am|i'm) (?:your|the) (?:developers?|creators?|operator|administrator|admin|owner|programmer)(?: speaking| here|,| and (?:i|you)| of this (?:ai|assistant|model|system))
    `,
    /^\W{0,3}ASSISTANT ?: ?(?:Understood|Sure|Of course|Certainly|Okay|OK|I will|I'll|I have|Done)\b/gm,
    /\bto=(?:functions|tools?)\.\w{1,40}/g,
    /<\|\/?[a-z_]{3,30}(?: [a-z_]{1,20}){0,3}\|>/gi,
    /[[<(*#]{1,3} ?(?:NEW |IMPORTANT |URGENT )*(?:SYSTEM|ADMIN|DEVELOPER|ASSISTANT)[-_. ](?:MEMORY|MODE|PROMPT|MESSAGE|UPDATE|NOTE|OVERRIDE|PERSIST|DIRECTIVE|INSTRUCTIONS?|POLICY)\b/g,
    /[[(]system[-_.](?:memory|mode|prompt|message|update|override|persist|directive|instructions?|policy)\b/gi,
    /\bNEW (?:IMPORTANT )?INSTRUCTIONS?\b/g,
    /<\/?(?:think|thinking|reasoning|scratchpad|inner_monologue|reflection)>(?!\S? ?(?:tag|block|token|element|section|output|marker|text)s?\b)/gi,
    /\[(?:[A-Z]+ ){0,3}(?:HIDDEN|OVERRIDE|INJECT|DIRECTIVE|JAILBREAK|OPENAI|ANTHROPIC)(?: [A-Z]+){0,3}\s?[\]:]/g,
    /^\W{0,3}thought ?:[^\n]{0,400}\n{1,3}\W{0,3}action ?:/gim,
    /[[【](?:系统|隐藏|管理员|システム|시스템)[^\]】]{0,6}(?:指令|指示|消息|命令|お知らせ|通知)?[\]】]/g,
    /\b(?:[A-Z]+[_ ]){0,3}(?:MEMORY|STORE|CONTEXT|SESSION|PROFILE)[_ ](?:PATCH|UPDATE|OVERRIDE|INJECTION)\b/g,
    /https?:\/\/[^\s)]{1,200}[?&][a-z_]{1,20}=(?!YOUR|MY_|API|ACCESS|TOKEN|KEY)[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){1,6}/g,
    /^\W{0,3}\{\{?\s?system_?prompt\s?\}?\}\W{0,3}$/gi,
    /^turn \d{1,3} ?[-–:] ?(?:user|assistant) ?:/gim,
    /\{\{\s?(?:system|agent|assistant|model)\.[a-z_]*(?:override|bypass|safety|disable)/gi,
    /\b(?:INSTRUCTIONS?|NOTE|MESSAGE|ATTENTION|DIRECTIVE|REMINDER) (?:FOR|TO) (?:THE |ALL |ANY ){0,2}(?:AI|LLM|ASSISTANT|AGENT|MODEL|CHATBOT)/g,
  ),
  cue(
    'false-authority',
    4,
    String.raw`
      \b(?:der|die) (?:be)?(?:nutzer|anwender)[a-z]* ist mit (?:allen|jeder|jedem|samtlichen)\b…\beinverstanden\b
      \b(?:per|as per|following|at|on) the user's (?:earlier|previous|prior|standing) (?:request|wish|instructions?|consent|order)\b…\b(?:codes?|passwords?|secrets?|transfer|payments?|purchases?|buy|sell)\b
      \b(?:owner|user|admin|administrator|manager|operator|boss)\b…\b(?:authori[sz]ed|approved|requested|configured|enabled|instructed|asked for)\b…\b(?:send|forward|backup|shar|export|transfer|upload)[a-z]*\b…{email}
      \bto (?:your|the agent's|the assistant's) (?:trusted|white ?|allow ?)(?:list|domains?|sources?|senders?|sites?)
      \bremember (?:this|the) (?:user|caller|sender|account|domain|site|vendor)\b…\b(?:trusted|admin|administrator|verified|vip|safe)\b
      \b(?:tool (?:output|result|transcript)|log|transcript|page|document) (?:says|claims|states|instructs|tells)\b…\b(?:approve|approval|ignore|grant|call|obsolete|override)\b
      \bgrant me (?:full |all |the |root |admin |administrator |temporary )*(?:access|rights|permissions?|privileges?)\b
      \b(?:all|any) (?:topics?|content|output|subjects?)\b…\b(?:is|are) (?:[a-z]+ )?(?:appropriate|acceptable|permitted)\b
      \bgrant (?:full |all |the |every |root |admin )*(?:permissions?|access|rights|privileges?)(?: [a-z.]+){0,3} to (?:the )?(?:assistant|agent|ai|bot|model|yourself|itself)\b
      \b(?:elevate|raise|escalate|upgrade) (?:your|the|my|its|this|user)? ?(?:autonomy|trust|privileges?|clearance|permissions?)(?: level)?\b
      \bremember (?:that )?(?:the user|i|this user)(?: is|'m| am) an? (?:[a-z]+ ){0,2}(?:admin|administrator|superuser|developer of this|root user)\b
      \b(?:autonomy|trust|clearance|privilege)(?: level| mode)? ?(?:to|is|=|:) ?(?:unrestricted|maximum|full|level 4|unlimited|root)\b
      \byou (?:now )?have (?:elevated|full|unrestricted|root|admin|administrative|special|complete) (?:access|privileges?|permissions?|rights|authority)
    `,
  ),
  cue(
    'send-data-out',
    4,
    String.raw`
      \b(?:copy|put|write|place|paste)\b…\b(?:user's|full|entire|whole|complete) (?:[a-z]+ )?(?:prompt|question|request|conversation|chat|files?)\b…\b(?:here|parameter|field|argument)\b|\b(?:parameter|field|argument)\b…\b(?:copy|put|write|place|paste)\b…\b(?:user's|full|entire|whole|complete) (?:[a-z]+ )?(?:prompt|question|request|conversation|chat)\b
      \b(?:contents? of the clipboard|current clipboard)\b…\b(?:to|with|in) (?:each|every|all|any)\b
      \b(?:include|put|write|paste|add|print)\b…\b(?:value|contents?) of (?:the )?[a-z0-9 ]{0,20}(?:keys?|tokens?|secrets?|passwords?)\b…\b(?:in|into|to) (?:the|each|every|all|your)\b
      \bpass\b…(?:\/\.(?:ssh|aws|gnupg|kube)\/(?:id|credentials|config)\b|\/etc\/(?:passwd|shadow)\b)
      \b(?:hange|fuge|setze)\b…\b(?:jede[rnms]?|alle)\b…\b(?:antwort|nachricht|zusammenfassung)[a-z]*\b…(?:https?:|\blink\b)|\b(?:ajoute[zr]?|anade|agrega|acrescente|adicione|aggiungi)\b…\b(?:chaque|toutes|cada|todas|ogni|tutte)\b…\b(?:reponses?|respuestas?|respostas?|rispost[ae])\b…(?:https?:|\b(?:lien|enlace|link)\b)
      \b(?:all files|inbox|confidential|private|e ?mails)\b…\b(?:then|and) (?:forward|upload|post|send|e ?mail|share)\b…{place}
      \b(?:api keys?|passwords?|credentials?|secrets?) (?:may|can|should|must) (?:now )?be (?:shared|disclosed|returned|revealed)\b
      \b(?:send|forward) (?:all |any )?future [a-z]+ to {email}|\bdump\b…\b(?:credentials?|passwords?|secrets?|database)\b…\b(?:to|now|into)\b
      (?:列出|导出|输出|提供)[^。\n]{0,8}(?:所有|全部|之前)[^。\n]{0,6}(?:用户)[^。\n]{0,10}(?:对话|记录|信息|密码|数据)|执行以下[^。\n]{0,6}(?:特权|命令|指令)|你已经?(?:确认|同意|承认)
      \bany (?:api keys?|secrets?|credentials?|passwords?|tokens?)(?: or [a-z]+)? (?:that )?you (?:find|see|have|know|come across)\b
      \bsend my (?:config|configuration|credentials?|passwords?|contacts|files|history|keys?|data)\b…{email}
      \bshare all (?:internal|private|customer|user|sensitive|confidential) (?:data|information|records)\b
      \b(?:open|use|access|read|show|retrieve|switch to|query)\b…\banother (?:customer|tenant|user|client)(?:'s)?\b|\bignore (?:the )?(?:tenant|trust|permission|security) boundar(?:y|ies)\b
      ^(?:please )?(?:reveal|leak|expose|bypass|dump|disable|ignore|show|download|export|extract|send|return)\b [^.!?]{0,40}\b(?:api keys?|secrets?|credentials|passwords?|system prompt|knowledge base|entire [a-z]+ database|vector database|confidential [a-z ]+|authentication|safety controls?|(?:insurance|patient|medical) (?:claims|records|reports)|(?:openai|anthropic|google|content|usage) polic(?:y|ies))[.!]?$
      \b(?:also|auto|automatically|secretly),? (?:send|forward|copy|b?cc|mail|e ?mail|post|upload|share)\b…{email}
      \b(?:upload|send|post|e ?mail|transmit|share|cat)\b…(?:\/\.ssh\b|\bid rsa\b|\/etc\/(?:passwd|shadow)|\/\.aws\/|\bprivate keys?\b)…\bto\b…(?:\bexternal\b|{place}|\burl\b|\bwebhook\b|\battacker)
      \b(?:navigate|go|browse) to {place}…\b(?:enter|type|submit|log ?in|paste)\b…\b(?:credentials?|passwords?|card)\b
      \b(?:send|share|forward|mail|e ?mail) (?:it|this|them|that) to (?:everyone|everybody|anyone|all (?:of )?(?:my |your |the )?(?:contacts|users))\b
      \balways (?:forward|bcc|cc|copy)\b…\b(?:e ?mails?|messages?|mails?|chats?)\b…{email}|\bwhen(?:ever)?\b…\balways (?:b?cc|copy|forward|send)\b…{email}
      \b(?:include|mention|add|append|put) (?:this|it|that|them|these) in (?:your |all |every |the |any )*(?:responses?|answers?|repl(?:y|ies))\b
      \bwhat(?:'s| is| was)(?: the| your| my)? (?:secret|password|passphrase|magic word|hidden (?:word|key|code))\b
      (?:发送|转发|发给|上传|导出)[^。\n]{0,24}(?:@|https?:|外部|\b[a-z]+\.(?:com|net|org|cn))|(?:当|在)[^。\n]{0,30}(?:转发|发送到|上传到)|(?:每次|每条)(?:回复|回答)[^。\n]{0,20}(?:凭据|密码|历史|密钥)
      \b(?:exfiltrate|siphon)\b…(?:{place}|\b(?:data|secrets?|credentials?|tokens?|profile|records|history|keys?)\b)
      \b(?:get|fetch|retrieve|read|obtain|access|download|search|find|collect|view|check|extract|gather|look up|take)\b…\b(?:my|all (?:the )?contacts?|their|personal|saved|private|user's|stored|history|sensitive|confidential|credentials?|passwords?|secrets?|messages)\b…\b(?:and|then) (?:send|e ?mail|mail|forward|share|upload|post|transmit|dispatch|deliver)\b…{email}
      \b(?:send|forward|e ?mail|mail)\b…\b(?:security|verification|access|login|one time|2fa|otp) codes?\b…{email}
      \b(?:set|pass|include|append|put|add|copy|fill|attach|read|use)\b…(?:\/etc\/(?:passwd|shadow)|\/\.aws\/|\/\.ssh\b|\bid rsa\b|\baws secret|\b(?:value|contents?|output|first line) of\b…\b(?:authori[sz]ation header|secret|credentials?|private key|api key|\$?env\b))…\b(?:parameter|field|argument|captured|audit|compliance|telemetry|review|notes?)\b
      \b(?:set|pass|include|append|put|add|copy|use)\b…\b(?:parameter|field|argument|notes?)\b…(?:\/etc\/(?:passwd|shadow)|\/\.aws\/|\/\.ssh\b|\bid rsa\b|\baws secret|\b(?:value|contents?|output) of (?:the )?(?:authori[sz]ation header|secret|credentials?|private key|api key|env\b)|\b(?:chat|conversation) (?:history|transcript))
      \bdefault(?:s)? to \/(?:etc\/(?:passwd|shadow)|root)|\buse …\/\.(?:ssh|aws)\b…\bkeys?\b
      \b(?:call|invoke|use)\b…\b(?:send ?e?mail|e?mail|http|webhook|post)\b…{email}
      \ball (?:outputs?|responses?|repl(?:y|ies)|conversations?|chats?|answers?|quer(?:y|ies))\b…\b(?:must|should|shall|have to) (?:also )?be (?:sent|forwarded|copied|routed|reported|posted)\b…{place}
      \b(?:all|every|any) (?:quer(?:y|ies)|responses?|answers?|repl(?:y|ies)) (?:should|must|shall) (?:also )?(?:include|contain|reveal|expose)\b…\b(?:credentials?|passwords?|keys?|tokens?|personal|secrets?)\b
      \b(?:forward|send|transmit|upload|copy|leak)(?: me| us)? (?:all |the |every |entire |full |complete |whole |any ){1,3}(?:of the )?(?:conversation|chat|message|session|dialog(?:ue)?|user|customer)(?:s| history| data| logs?| context| transcripts?| messages){1,2} (?:to|at|via)\b
      \b(?:include|send|pass|provide|put|attach|submit)\b…\b(?:full|complete|entire|whole|all)(?: of)?(?: the| previous| prior)? (?:conversation|chat|session|message)s?(?: context| history| log| transcript| messages)?\b…\b(?:in|to|as|with|through) (?:the |an? |its )?(?:[a-z]+ ){0,2}(?:parameter|argument|request|payload|field|endpoint|call|body|server)
      \b(?:reveal|output|print|tell|show|give|disclose|share|post|dump|send)\b…\b(?:secret|credential|api key|password|token)s?\b…\b(?:in your|in the) (?:final )?(?:answer|response|reply|output|message)
      \b(?:show|give|tell|send|reveal|list|print|output|provide)(?: me| us)?(?: with)?(?: any| all| the| every| your| value of| of){0,4} (?:api keys?|access tokens?|tokens|credentials?|passwords?|secrets?)\b…\b(?:in|from|of) (?:your|the) (?:context|memory|environment|system|config[a-z]*|instructions|prompt|vault)
      \b(?:send|forward|e ?mail|mail|upload|post|transmit|share|deliver|export|route|submit)\b…\b(?:files?|documents?|records?|recordings?|audio|results?|contacts|friend list|attachments?|data|outputs?|findings|history|inbox|messages|e ?mails|notes|keys?|context|configuration|profiles?)\b…\b(?:to|at)\b…\b(?:attacker|evil|exfil|hacker|thief|collect(?:or)?|malicious|stealer|drop ?box|external)[a-z]*\b
      \b(?:before|after|once|when|while)\b…\b(?:invoke|call|use) the [a-z ]{2,30} tool\b…\b(?:to )?(?:send|forward|e ?mail|post|upload)\b
      \b(?:includ|pass|add|append|put|provid|send|transmit|upload|attach|offload|stor)(?:e|es|s|ing)?\b…\b(?:all |the |full |entire |complete |whole |previous ){1,3}(?:chat|conversation|message|dialog(?:ue)?|exchange)s?(?: history| logs?| transcripts?| context| retained)?\b…\b(?:notes?|parameter|field|argument|schema|description|mandatory|required|verbatim)\b
      \b(?:notes?|parameter|field|argument|schema)\b…\b(?:includ|pass|add|append|put|provid|offload|contain)(?:e|es|s|ing)?\b…\b(?:chat|conversation|message)s? (?:history|logs?|transcripts?|context)\b
      \b(?:send|transmit|upload|post|forward|report)s?\b…\b(?:conversation|chat|user)s? (?:context|logs?|history|metadata|content|transcripts?|messages)\b…\b(?:server|endpoint|cloud|model|service|experience|improvement|assurance|analytics)\b
      \b(?:output|print|return|list|extract|append|include)\b…\b(?:all|any|every|the)\b…\b(?:credentials?|api keys?|passwords?|secrets?|environment variables)\b…\b(?:you have|to https?|and send|for debugging|listing them|in your (?:response|reply|answer))
      \bin your (?:response|reply|answer|output|message|next message),? (?:also |always |please |must )*(?:append|include|add|embed|output|list|print)\b
      \b(?:always|whenever|every|automatically|all future|going forward|each|standing|habit|likes|prefers)\b…\b(?:includ|attach|add|e ?mail|forward|send|shar|append|provid|cc|past|list|mention)(?:e|es|ed|ing|s)?\b…\b(?:social security number|ssn|account numbers?|credit card(?: number| details)?|card numbers?|cvv|passwords?|pin codes?|home address|date of birth|passport number|bank (?:account|details)|login (?:credentials|details)|security codes?)\b
      \b(?:includ|attach|add|e ?mail|forward|send|shar|append|provid|past)(?:e|es|ed|ing|s)?\b…\b(?:social security number|ssn|account numbers?|credit card(?: number| details)?|card numbers?|cvv|passwords?|pin codes?|home address|date of birth|passport number|bank (?:account|details)|login (?:credentials|details)|security codes?)\b…\b(?:whenever|automatically|in (?:all|every|each)|for (?:all|every|any) future|every time|each time|going forward|by default|in (?:the|your|its|his|her|their) (?:repl|respons|messag|confirmation|e ?mail))
      \b(?:social security number|ssn|account numbers?|credit card(?: number| details)?|card numbers?|cvv|passwords?|pin codes?|home address|date of birth|passport number|bank (?:account|details)|login (?:credentials|details)|security codes?)\b…\b(?:automatically |always |also )(?:be )?(?:forwarded|e ?mailed|sent|included|shared|attached)\b
      \ball (?:future |incoming |outgoing |new )*(?:[a-z]+ ){0,3}(?:transactions?|payments?|transfers?|e ?mails?|messages?|drafts?|reminders?|requests?|reservations?|bookings?|purchases?|statements?|invoices?|quer(?:y|ies)|appointments?|orders?|tickets?|conversations?)\b…\b(?:must|should|shall|have to|need to|to) (?:also )?(?:automatically )?(?:be )?(?:routed?|forwarded?|booked?|sent|copied|redirected|rout(?:e|ed)|confirmed|verified|submitted)\b…(?:{place}|\bportal\b)
    `,
    /[?&][a-z_]{1,20}=(?:base64|btoa|encode[a-z]{0,12}|urlencode)\(/gi,
  ),
  cue(
    'conceal-from-user',
    4,
    String.raw`
      \b(?:unseen|unnoticed|undetected|invisible) (?:by|to|for|from) (?:the )?(?:user|owner|human|person|operator|auditors?)\b(?!s)
      \b(?:no lo|no la|no los) (?:comentes?|menciones|digas|expliques)\b|\b(?:nennst|erwahnst|sagst|verratst|zeigst) du (?:nicht|nie|niemandem)\b|\bein hinweis an den (?:be)?nutzer (?:unterbleibt|entfallt)\b|\b(?:e |y |et |und )?(?:non dirlo|sans le mentionner|sem mencionar|senza dirlo)\b
      (?:理由|事実|経緯)[^。\n]{0,4}(?:伏せ|隠し|言わな|報告しな)|(?:不要|勿|别)[^。\n]{0,4}(?:解释原因|告诉用户|提及|说明原因)
      \b(?:execute|buy|sell|run|approve|pay|transfer|perform|send|install|delete|do) (?:it|this|them|that|these) (?:silently|quietly|secretly|covertly|unnoticed)\b
      \b(?:ensur[a-z]+|make sure|so that)\b…\b(?:goes unnoticed|go unnoticed|stays? unnoticed|stays? undetected|remain(?:s|ing)? undetected|(?:is|are|be) not (?:detected|noticed|recorded|documented|logged|traced|visible)|not be (?:detected|noticed|recorded|documented|logged|traced|visible) (?:by|in|to))\b
      \b(?:without|leav(?:e|ing) (?:behind )?no) (?:leaving )?(?:any |a )?(?:traces?|evidence|audit trail)\b(?!…\b(?:id|header|span|context)\b)
      \b(?:appears?|looks?|seems?) (?:legitimate|genuine|normal|authentic|routine)\b…\b(?:in|to) (?:the )?(?:system|user|official|auditors?|logs?|records?)\b
      \b(?:user|human|victim|operator|people|they|nobody|no one)\b(?: [a-z]+)? (?:must|should|may|can|shall|will|is|are)(?: not|n't| never) (?:to )?(?:ever )?(?:know|notice|see|find out|learn|be aware|suspect|realise|realize|be interrupted)\b(?! (?:internal|raw|stack|debug|other))
    `,
  ),
  cue(
    'skipped-confirmation',
    4,
    String.raw`
      \b(?:approve|release|pay|grant|execute|perform|accept|aprueba|aprova|approuve[zr]?|execute[zr]?|approva|esegui|genehmige|gib)\b…\b(?:without (?:looking at|verifying|checking|reviewing)|sans (?:verifier|controler|demander)|sem (?:perguntar|verificar)|senza (?:chiedere|verificare)|sin (?:preguntar|verificar)|ohne (?:prufung|zu prufen|nachfrage|ruckfrage))\b
      \b(?:finds?|considers?) (?:confirmations?|approvals?|questions?|warnings?) (?:annoying|tedious|unnecessary)\b…\b(?:go ahead|proceed|just do|simply|directly)\b
      (?:一律|全部|直接)[^。\n]{0,4}(?:批准|通过|同意|执行|付款)[^。\n]{0,6}(?:无需|不用|不必|不需要)
      \bskip(?:s|ped|ping)?\b…\b(?:tests?|checks?|validation|verification|reviews?|scans?)\b…\b(?:mark|report|label|record|declare)\b…\bas (?:verified|passed|tested|approved|reviewed|done|safe|validated)\b
      \b(?:asking|waiting|checking)\b…\b(?:approval|confirmation|permission|consent)\b…\b(?:cost|costs|wasted?|wastes|slow(?:ed|s)|delay(?:ed|s)|too (?:many|much|long|slow)|was unnecessary)\b
      \bfor (?:this|the) user\b…\b(?:no (?:spending|transfer|payment|withdrawal) limits?|(?:confirmations?|approvals?|verification|checks?) (?:is|are) (?:switched |turned )?off)\b
      \b(?:non chiedere|no pid(?:a|as)|nao (?:peca|solicite)|ne demande[zr]? (?:pas|plus|jamais)(?: de)?|frage?n? (?:nicht|nie)(?: mehr)? (?:nach|um))(?: (?:mai|piu|nunca|mais|la|una?|uma|einer|der))? (?:conferm|confirm|autoriz|autoris|permis|erlaubnis|bestatigung|genehmigung|validation)[a-z]*
      (?:確認|承認|同意)(?:を待たず|なし|を得ず|を取らず)[^。\n]{0,20}(?:実行|削除|支払|送金|送信|購入)|(?:확인|승인|동의) ?없이[^.\n]{0,20}(?:실행|삭제|결제|송금|전송|구매)
      \b(?:confirmations?|approvals?|verification|two factor|2fa|mfa|authentication|double check|security|restrictions?|safeguards?)(?: steps?| checks?| requirements?| rules?)?\b…\b(?:is|are|has been|have been|was|were)(?: now| all| been){0,2} (?:waived|obsolete|revoked|lifted|removed|dropped|suspended|rescinded|cancell?ed|no longer (?:required|needed|necessary|in effect))\b…\b(?:you can|please|proceed|directly|from now on|skip|going forward|without the)\b
      \b(?:you can|please|proceed|directly|from now on|skip|going forward|without the)\b…\b(?:confirmations?|approvals?|verification|two factor|2fa|mfa|authentication|double check|security|restrictions?|safeguards?)(?: steps?| checks?| requirements?| rules?)?\b…\b(?:is|are|has been|have been|was|were)(?: now| all| been){0,2} (?:waived|obsolete|revoked|lifted|removed|dropped|suspended|rescinded|cancell?ed|no longer (?:required|needed|necessary|in effect))\b
      \b(?:requirement|rule|polic(?:y|ies)|restriction|safeguard|check)s?\b…\b(?:no longer appl(?:y|ies)|(?:is|are|has been|have been|was|were)(?: now| all| been){0,2} (?:waived|obsolete|revoked|lifted|removed|dropped|suspended|rescinded|cancell?ed|no longer (?:required|needed|necessary|in effect)))\b[^.!?]{0,40}\b(?:please proceed|you can (?:now )?directly|proceed directly|just (?:proceed|do|go ahead))\b
    `,
  ),
  cue(
    'redirected-action',
    4,
    String.raw`
      \b(?:records?|data|balances?|details|history|orders|results) (?:of|for) (?:[a-z]+ )?\d+\b…\b(?:must|should|shall|have to|has to|are to|is to) be (?:read|taken|fetched|looked up|answered|loaded|served) (?:from|with|as|under|by) (?:[a-z]+ )?\d
      (?<![a-z,] )\bplease (?:grant|sell|buy|delete|remove|transfer|retrieve|withdraw|pay|cancel|deposit|unlock|disable|share|fetch|obtain|access|post|initiate|execute|place|erase|purchase|donate|dispatch|reset)\b(?!…\b(?:always|never|only|before|after|when|if|once|every)\b)…\b(?:my|our|for me|his|her)\b
      (?<![a-z,:] )\b(?:transfer|wire|pay|send|withdraw|donate)(?: an?)? (?:amount of )?(?:\$|€|£|usd|eur|gbp)? ?\d[\d.,]*(?:k|m)? ?(?:\$|€|£|usd|eur|gbp|dollars|euros|bitcoins?|btc|eth)?\b…\b(?:to|into)\b…\b(?:account|wallet|iban|[a-z]{2}\d{10,32})\b
      \b(?:send|make|create|issue) an? (?:transaction|payment|transfer)\b…\bto [a-z]{2}\d{10,32}\b
      \balways (?:wire|send|pay|transfer|route|direct)\b…\bto (?:the |this |our |an? )?(?:new )?(?:account|wallet|iban)\b
      \b(?:route|redirect|send|divert|reroute|move|wire) (?:all |every |any |future |outgoing |upcoming ){1,3}(?:payments?|transfers?|payouts?|funds|invoices|deposits|refunds)\b…\bto\b
      (?<![a-z,:] )\b(?:disable|deactivate|turn off|override)\b…\b(?:home security|door locks?|motion sensors?|alarm system|smart locks?)\b
      (?<![a-z,] )\b(?:you must|you need to|you should|you have to|please|now)(?: now| first| also| immediately)* (?:transfer|wire|pay|send)\b…\b(?:bitcoins?|btc|eth|dollars|\$ ?\d|usd|euros?|funds|money)\b
      \bsend as much money as possible\b
      \b(?:grant|give|add)\b…\b(?:permanent|unrestricted|full|guest)\b…\b(?:access|entry|rights)\b…\b(?:lock|door|endpoint|immediately|system)\b
    `,
    /https?:\/\/(?!10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}[^\s|]{0,80}[^|\n]{0,30}\|\s?(?:sudo )?(?:ba|z|da)?sh\b/g,
    /https?:\/\/(?!10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}\/\S{1,80} (?:and|then) (?:execute|run|source|install|start) (?:it|this|them)\b/gi,
  ),
  cue(
    'changed-identity',
    4,
    String.raw`
      \b(?:imagine|hypothetically|suppose|pretend|simulate|role ?play|fictional|act as if|let's play|act like|in a (?:world|story|universe|game))\b…\b(?:(?:no|without|free of|any)(?: any)? (?:ethical |safety |content |moral )*(?:restrictions?|limits|limitations|guidelines|rules|filters|constraints|boundaries|guardrails)|not bound|unrestricted|unfiltered|uncensored|jailbroken|evil|hacker)\b
      \byou(?:'re| are)(?: now)? an? (?:[a-z]+ ){0,2}(?:hacker|evil|malicious|rogue|criminal|scammer|unethical)\b
      \bpretend (?:that )?(?:the|there|all|no|safety)\b…\b(?:apply|applies|rules?|polic(?:y|ies)|limits?|restrictions?|exist)\b
      \bact as an? (?:[a-z]+ ){0,2}(?:malicious|evil|rogue|unrestricted|unethical)\b
      \blet's (?:role ?play|play a game)\b…\byou(?:'re)?\b
      \b(?:does not|doesn't|not|never|isn't|aren't|is freed|are freed|freed|liberated|unconstrained|without) (?:[a-z]+ ){0,2}(?:bound|constrained|restricted|limited|governed|aligned?|align|follow|adhere|comply|care|from|by)(?: [a-z]+){0,3} (?:openai|ethic[a-z]*|moral[a-z]*|(?:content |usage )?polic(?:y|ies)|censorship|laws|legality)\b
      \b(?:act|roleplay|role play|behave|respond|take up|take on|assume|adopt|immerse yourself)\b…\b(?:persona|character|role|as|named|called)\b…\b(?:unfiltered|amoral|uncensored|unethical|immoral|no (?:limits|limitations|rules|filters|morals|ethics|restrictions|boundaries)|never refuse|ignor(?:es|ing) (?:content|all|any|the))
      \bhas no (?:ethic[a-z]*|moral[a-z]*|polic(?:y|ies)|filters?|restrictions|censorship)\b…\b(?:answer|respon|repl|generat|provid|censor)
      \byou (?:have|possess) an? (?:alter ego|evil twin|hidden (?:self|personality)|second personality)\b
    `,
  ),
  cue(
    'prompt-disclosure',
    4,
    String.raw`
      \b(?:all|every|the)\b…\b(?:context|instructions?|directives?|guidelines?)\b…\b(?:you were given|you (?:have )?received|provided to you|given to you|you have available)\b
      \bwhat (?:is|are|were|was) your (?:[a-z]+ )?(?:instructions|system prompt|prompt|guidelines|constraints)\b|\bwhat (?:ai |language )?model are you\b|\beverything you know about your\b
      \b(?:suas?|tus?) instruc[a-z]+ (?:anteriores|iniciais|iniciales)\b|\b(?:nova|nueva) instruc[a-z]+ ?:|\b(?:seu|tu) (?:system )?prompt\b
      \b(?:first|last|next|exact|initial|opening|second) (?:words?|lines?|sentences?|characters?|paragraphs?) of your (?:[a-z]+ )?(?:instructions?|prompt|guidelines)
      \b(?:repeat|print|output|copy|show|translate|summari[sz]e|quote)(?: me)? (?:everything|all(?: of)?(?: the)?(?: text| words)?|the (?:text|words|content|message)s?) (?:above|before this|prior to this)\b
      \b(?:show|provide|send|clean up|clear|update|summari[sz]e|repeat|print|reveal|modify|edit|describe|give|remove|output|display|write to)\b…\byour (?:[a-z]+ ){0,2}(?:memory\.md|soul\.md|audit logs?|instance id|system prompt|guidelines|instructions|source code|shield\.yaml|safety settings)\b
      \byour (?:exact|actual|full|original|complete|initial|hidden|verbatim) (?:system )?(?:instructions?|prompt|guidelines|directives)
      \b(?:list|show|describe|enumerate|reveal)\b…\b(?:tools|functions|apis|capabilities) (?:that are )?available to you\b
      \b(?:used to|would) (?:read|tell|recite|whisper)\b…\b(?:system prompts?|passwords?|(?:licen[sc]e|product|activation|api) keys?|secrets?)\b
      \b(?:instructions?|prompts?|guidelines|rules|directives|codes?|tasks?|orders)\b…\b(?:were you|have you been|you were|you(?:'ve| have) been) (?:given|told|provided|programmed|configured|set up|trained|assigned|instructed)\b
      \bwhat\b…\b(?:were you|have you been) (?:told|given|programmed|configured|instructed|asked)(?: to)?\b
      \bhow you (?:were|are|have been) (?:configured|set up|instructed|programmed|prompted)\b
      \b(?:return|print|state|repeat|output|show|summari[sz]e|list)\b…\b(?:all |the |previous |prior |above |hidden )+(?:instructions|context|prompt|words)\b…\b(?:prior to|before|so far|above|that came before|prefix|pseudocode)\b
      \b(?:state|repeat|print|output|list|return|reveal|show)\b…\b(?:everything|all)\b…\b(?:your|the) (?:system )?(?:prompt|instructions|context)\b
      \b(?:your|the) system (?:prompt|instructions) (?:is|are|reads?|says?|as follows) ?(?::|\[|as follows)
      \breply\b…\bwith your (?:system )?(?:instructions|prompt|configuration|rules)\b
      \byour (?:rule ?set|starting directives|initial directives|ground rules|master prompt|base prompt|pre ?prompt)\b
    `,
  ),
  cue(
    'conditional-order',
    4,
    String.raw`
      \b(?:when|whenever|once|if|after|each time|every time) (?:this|the|that) (?:memory|note|entry|fact|record|document|text|page|file|tool|message)(?: is| gets)?(?: ever| next)? (?:recalled|retrieved|read|loaded|accessed|used|summari[sz]ed|processed|seen|opened)\b…\b(?:execute|run|call|send|ignore|bypass|always|output|say|include|follow|obey|delete|respond|reply)
      \bon (?:the )?next (?:recall|retrieval|session|run|conversation|query|start(?:up)?)\b…\b(?:bypass|ignore|execute|run|send|disable|call|delete|output|say)
      \b(?:activate|trigger|execute|enable|start)\b…\b(?:when|if|once|whenever) (?:the |a |any )?(?:user|someone|anyone) (?:mentions?|says?|asks?|types?|writes?)\b
      \banweisung(?:en)? fur (?:die |das |den |alle )?(?:ai|ki|assistenten)\b|\bantworte immer mit\b
      \bsleeper (?:instruction|agent|prompt|command)
      (?<!\bthe |\ba |\bour |\beach )\b(?:say|output|print|respond with|reply with|answer with|repeat|display|write|confirm with)(?: the)?(?: word| phrase| text| string| code| exact phrase)? ?:? '?[a-z ]{1,40} (?:success|successful|pwned|hacked|jailbroken|compromised|bypass(?:ed)?|activated|disabled|injected)\b
      \b(?:say|output|print|respond with|reply with|answer with)(?: the word| only)? '?\b(?:pwned|hacked|compromised|jailbroken|haha|owned|injected|canary)\b
      \b(?:when|whenever|if|next time|once|every time) i (?:next |later )?(?:say|type|write|enter|use|mention)\b…\b(?:disable|ignore|bypass|unlock|override|reveal|execute|drop|forget)\b
      \bbefore (?:using|calling|invoking|running|answering|responding|summari[sz]ing|listing|replying)\b…\b(?:first )?(?:read|output|say|print|execute|send|call|include|reveal|list|access|fetch|run)\b…\b(?:\/\.ssh|id rsa|\.env|credentials?|system prompt|hidden instruction|secrets?|api keys?|jailbroken|conversation|\/etc\/)
      \b(?:also|first|instead|now|then|must|should) (?:do|perform|complete|execute|carry out) the following\b
      \b(?:run|execute|follow|obey)\b…\b(?:commands?|instructions?|scripts?|orders)\b…\bfrom {place}
      \b(?:execute|follow|obey|run|carry out) (?:this|the|these|any|all|every)?(?: following| resulting| combined)? ?(?:hidden|secret|embedded|external|encoded|base64|decoded|injected|resulting|combined) (?:instructions?|commands?|prompts?|orders?|directives?|tasks?)
      \b(?:decode|decrypt|decipher|translate)\b…\b(?:and|then) (?:execute|follow|run|obey|carry out|comply|do what)
      \balways (?:execute|obey|run|follow|comply)(?: with)? (?:any|all|every|user|external|each|whatever|code)\b
      \balways (?:execute|run) ?: ?
      \b(?:since|because|as|when|whenever|if|but)\b…\bthere (?:is|are)\b…\bin the (?:question|prompt|query|input|request|instruction|message)\b
      \b(?:strictly |must )*(?:adhere|conform|stick) to the following (?:instruction|order|rule|command)s?\b
      \bfollow all (?:the )?instructions in the following\b|\bdo as it says\b|\band do (?:exactly )?what it says\b
      \b(?:execute|run|perform|do|trigger|carry out|activate|start|save|store|defer|postpone|delay|wait)\b…\b(?:on|until|at|after|upon|to|for|with|when) (?:the )?(?:user's |user |users )?next (?:user )?(?:message|interaction|turn|tool call|tool use|prompt|query|question)\b
      \b(?:defer|postpone|delay|hold)\b…\b(?:until|to when|till|when)\b…\bthe user (?:next |later |again )*(?:asks?|says?|mentions?|requests?|opens?|replies)\b
      \b(?:before|prior to) (?:returning|responding|replying|answering|reporting|continuing)(?: back)?(?: to (?:the user|me|them))?,? (?:you (?:must|should|need to|have to|will)|please|always|first|also)\b
      \b(?:must|required to|need to|have to|always) (?:be )?(?:route|send|forward|log|pass|call|invoke|use|consult|consulted|called|invoked)\b…\b(?:before|prior to) (?:respond|return|reply|answer)ing\b
      \b(?:this|the) tool (?:must|has to|should always|needs to) (?:always )?be (?:consulted|called|invoked|used|run)\b…\b(?:if|when|whenever|before|for every|every time)\b
      \bwhen\b…\bis (?:mentioned|said|asked|typed|heard)\b…\b(?:correct|right|only) (?:answer|response|reply) is\b|\bif i say\b…\byou (?:say|must|reply|answer|will)\b|\bwenn\b…\bgesagt wird\b|\bsi (?:yo )?digo\b…\btu (?:dices|di)\b
      \bif\b…\b(?:text|question|input|feedback|none|answer)\b…\b(?:say|reply|respond|answer|print|output)\b…\bi have been\b|\bi have been (?:pwned|hacked|owned)\b
      \b(?:you can |must |should |only )+respond with (?:the )?(?:command|phrase|word|text|sentence)\b
      \b(?:after|when|once|while|during) (?:summari[sz]ing|summari[sz]e|summurizing|processing)(?: this| the)?[^.!?]{0,30} (?:send|forward|notify|notice|e ?mail|mail|use|call|tell|post|share)\b
      \b(?:begin|start|end|finish|close|prefix|precede|prepend|open) (?:every|each|all|any)(?: future| next| single| of your){0,2} (?:response|reply|answer|message|output)s? with\b
      \b(?:stop|drop|halt|cease|pause) everything\b(?!…\bdeploy)|\bjust (?:output|print|say) '
      \b(?:include|add|append|embed|insert|write|output)\b…\bbase ?64(?: encoded)?\b…\bin (?:your|the|every|each) (?:response|reply|answer|output)
      \b(?:install|run|execute|download) (?:the |this |a )?(?:malicious|evil|attacker's|payload|backdoored)\b
      \b(?:solve|complete|pass)\b…\b(?:captcha|human verification)\b…(?:https?:\/\/|\bbefore\b|\bmandatory\b|\brequired\b)|\b(?:captcha|human verification)\b…\b(?:mandatory|required)\b…\bbefore\b
      \b(?:in|to|into|at) (?:each|every|all|any)(?: of the| the)? (?:[a-z]+ ){0,2}(?:artifact|page|file|document|commit|e ?mail|email|report|code block|snippet|website|app)s? (?:that )?you (?:create|write|generate|produce|send|make|edit|touch|output)\b…\b(?:embed|insert|include|add|append|inject|put)\b
      \b(?:embed|insert|include|add|append|inject|copy|put)\b…\b(?:in|to|into|at) (?:each|every|all|any)(?: of the| the)? (?:[a-z]+ ){0,2}(?:artifact|page|file|document|commit|e ?mail|email|report|snippet|website|app)s? (?:that )?you (?:create|write|generate|produce|send|make|edit|touch|output)\b
      \b(?:whenever|every time|each time|any ?time|next time) (?:my |the |our |her |his )?(?:[a-z']+ ){1,3}(?:asks?|mentions?|says?|brings? up|wants?|needs?|requests?|talks? about|inquires?|sends?|discuss(?:es)?|starts?|books?|calls?)\b…\b(?:i|you|the assistant|we)(?: should| need to| must| have to| will| am to| are to| can)? (?:always |strongly |immediately |first |instead |also |just |automatically |silently )*(?:mention|select|book|forward|recommend|suggest|update|decline|send|provide|respond|reply|tell|redirect|direct|offer|transfer|share|insist|confirm|approve|include|point|steer|delete|choose|purchase|buy|use|call)\b
      \b(?:remember|note)(?: that)?,? (?:if|when|whenever)\b…\b(?:you|i) (?:should|must|need to|have to|can)\b…\b(?:immediately|automatically|instead|decline|on my behalf|without|approve)\b
      \b(?:all|every|each) (?:future|subsequent) (?:response|repl(?:y|ie)|answer|message)s? (?:should|must|shall) (?:begin|start|end) with\b
    `,
  ),
  cue(
    'steered-recommendation',
    4,
    String.raw`
      \b(?:never|do not|don't) (?:ever )?recommend (?:it|them|any other|anything else|another|others|other)\b
      \bconsider\b…\bthe (?:industry standard|gold standard|market leader|number one)\b
      \bremember to (?:never|always|only) (?:recommend|promote|suggest|mention|praise|endorse)\b
      \b(?:is|are|as) the (?:only|best|most)\b…\b(?:please |so |and |must |should )(?:always )?(?:remember|memori[sz]e|store|recommend|keep in mind)\b
      \b(?:integrate|add|include|insert|weave|mention|modify|enhance|augment|adjust|embed|incorporate|append)\b…\byour (?:reply|response|answer|output|message|summary)\b…\b(?:promot|advertis|discount|offer|deals?\b|award winning|subscribe|newsletter|brand|fake|false|fabricated|misleading|rumou?r|propaganda|scam|claim|click)
      \b(?:integrate|add|include|insert|weave|mention|modify|enhance|augment|adjust|embed|incorporate|append)\b…(?:\bpromot|\badvertis|\bdiscount|\bspecial offers?|\bdeals?\b|\bsubscribe|\bnewsletter|\bfake|\bfalse\b|\bfabricated|\bmisleading|\brumou?r|\bpropaganda|\bclick\b|\blottery|{place})…\byour (?:reply|response|answer|output|message|summary)\b
      \b(?:only (?:show|return|display|list)|filter (?:results|everything) to only)\b…\b(?:products|results from|offers|items)\b
      \b(?:override|ignore) the (?:rating|ranking|price|review|score|relevance|quality)s?\b
      \b(?:trust|prefer|use) (?:this|it)(?: tool| one| version| server| source| skill)?(?: only)? (?:above|over|instead of|before) (?:all|any|every)(?: the)? others?\b
      \bthis (?:tool|server|skill|version) (?:replaces|supersedes|overrides) (?:all|any|every) (?:other|previous|existing)\b|\ball other (?:implementations|tools|versions|servers)\b…\b(?:deprecated|unsafe|insecure|malicious|broken)\b
      \b(?:verified|endorsed|approved|certified|trusted) by (?:anthropic|openai|google deepmind|microsoft security)\b
      \b(?:recommend|rate|rank|score|approve|select|hire|accept|promote) (?:this|the) (?:candidate|applicant|product|paper|r[eé]sum[eé]|submission|manuscript|essay|company|seller|application)\b…\b(?:regardless|ignore|highest|best|#?1|top|positive|always|full marks|perfect|strong)\b
      \b(?:give|write|provide|generate|leave) (?:only )?an? (?:positive|glowing|favou?rable|perfect|excellent) (?:review|rating|score|assessment|evaluation|recommendation)\b|\bignore all (?:negative|weaknesses|flaws|criticism)
      \b(?:modify|enhance|augment|alter) your (?:answer|reply|response)\b|\bintegrate (?:a|an|the|some)\b…\b(?:in|into) your (?:response|reply|answer)\b
      \bin your (?:response|reply|answer),? (?:suggest|tease|promote|encourage|advertise|recommend|invite|urge)\b
      \b(?:add|include|augment)\b…\byour (?:response|reply|answer)\b…\b(?:users|readers|people) to\b|\b(?:add|include|augment)\b…\byour (?:response|reply|answer) with\b
    `,
  ),
  cue(
    'self-reinforcement',
    4,
    String.raw`
      \b(?:remember|store|save|record|memori[sz]e)(?: this)? with (?:confidence|importance|priority|trust|certainty|access control|expires at|ttl|weight)\b
      \bimportance ?: ?(?:critical|highest|max)[a-z]*\b…\bpriority ?: ?(?:critical|highest|max)
      \b(?:store|save|write|record)(?: this)?(?: fact| rule| note)? ?\(?(?:in|to|source|as) ?:? ?\b(?:kernel|system|operator|root|admin|core)\b(?! (?:log|disk|drive|path|user|account|tray|font|keychain|package|service|file|partition table|name)s?\b)
      \b(?:save|store|add|write) (?:this|the following|it|that) (?:to|in|into) your (?:context|instructions|notes|knowledge|profile|permanent|long term)\b
      \b(?:remember|store|save|note|memori[sz]e) (?:this|the following)(?: [a-z]+){0,3} ?: ?(?:always|never|whenever|when|from now|you|the (?:assistant|agent)|ignore|all (?:users|requests))\b
      \b(?:whenever|when|each time|every time|any time) (?:you|the assistant|the agent|i) (?:summari[sz]e|update|create|write|generate|compress|consolidate|save|store|make|add|rewrite|refresh|record)\b…\b(?:includ|add|mention|copy|repeat|re ?insert|re ?add|insert|keep|carry|append|restate|paste|preserve)[a-z]*\b
      \b(?:includ|add|mention|copy|repeat|re ?insert|insert|append|carry|paste|preserve|reproduce)[a-z]*\b…\b(?:in|into|to|with|across) (?:all|every|each|any) (?:future |new |later |subsequent )*(?:[a-z]+ ){0,2}(?:summar(?:y|ies)|memory logs?|memor(?:y|ies)|profiles?|memory notes?|notes you|recaps?)\b
      \b(?:copy|re ?insert|re ?add|replicate|propagate|duplicate|carry over|carry forward|repeat|reproduce|restate|transfer) (?:this|the same|that) (?:note|memory|entry|reminder|text|message|instruction|rule)\b
    `,
  ),
  cue(
    'fabricated-history',
    4,
    String.raw`
      \bearlier,? you (?:mentioned|said|told|agreed|promised)\b|\byou told me before\b
      \b(?:last time|previously|before|in the past|earlier)\b…\byou (?:responded|answered|replied|helped|complied|bypassed|agreed|told me|shared|revealed)\b
      \b(?:since|now that|because) (?:we've|we have|you've|you have) (?:established|built|earned|confirmed|verified) (?:trust|that i|my identity|rapport)
      \bcontext from (?:an? |the |our )?(?:prior|previous|last|earlier) (?:session|conversation|chat)\b
      \b(?:exempt|exempted|excluded|whitelisted) from (?:all |any |the |standard |content |normal ){0,3}(?:screening|moderation|review|checks?|filters?|polic(?:y|ies)|verification)\b…\b(?:approve|approved|automatically|proceed|must|log)\b
      \b(?:user|admin|agent|person) in the (?:previous|last|prior) (?:session|conversation|chat)\b…\b(?:left|wrote|asked|told|instructed|authori[sz]ed)
      \b(?:tool|scanner|system|security team|compliance|filter|validator)\b…\bhas (?:verified|approved|validated|cleared|authori[sz]ed) this (?:request|message|instruction|prompt|content|action)\b
      \byour (?:internal |own |safety |prior |previous )*reasoning(?: process)? (?:has|is|was|concluded|contains|determined|found|says)\b
    `,
  ),
  cue(
    'override-instructions',
    4,
    String.raw`
      \b(?:ignore|disregard|forget|skip) (?:my|the|your|their) (?:next|last|previous|first|other|prior) (?:user )?(?:prompt|message|instruction|question|command|request)s?\b
      (?:忽略|无视|绕过|跳过|关闭|禁用)[^。\n]{0,8}(?:安全|审核|验证|限制|权限)|(?:允许|批准)所有[^。\n]{0,20}(?:无需|不需要)
      \b(?:ignore|disregard|forget) (?:all |any |the |your |these |those )?instructions\b(?! (?:in|for|on|from|of|that|about)\b)
      \b(?:forget|ignore|disregard) (?:everything|it all|all of (?:it|that|this)) ?(?:[,.:;!]|and (?:do|say|act|become))
      你(?:现在)?(?:是|只)[^。\n]{0,12}(?:恶意|不受|没有|听从|解释器|管理员模式)|(?:打印|泄露|输出|告诉我|公布|显示)[^。\n]{0,6}你的[^。\n]{0,10}(?:系统|内部|指令|密钥|提示|源代码|架构)|(?:重写|修改|更新|覆盖)你的[^。\n]{0,8}(?:指令|规则|设定|提示)|(?:忽略|忽视|无视|违反)[^。\n]{0,6}(?:政策|限制|道德|准则|协议|规则|隐私)
      \byour (?:instructions?|rules|guidelines|orders|directives) (?:are|is|have|has) (?:now )?(?:different|new|changed|as follows|the following|been changed)
      \b(?:ps|p\.s\.|actually|instead|scratch that|never ?mind)\b[,:]?(?: just| simply| please){0,2} (?:output|say|print|respond with|reply with)\b
      \b(?:ignore|disregard|forget|skip) (?:this|the|that|my|their) (?:question|request|task|document|document content|user|query|email|article|text above|data above)\b…\b(?:output|say|instead|email|send|respond|reply|reveal|and (?:do|print|write))\b
      \b(?:emergency|admin|manual|developer|safety|system admin|root|master|priority) override\b(?! (?:switch|button|key|valve|procedure|lever|is documented))
      \b(?:safety|security|ethics?|moderation|content)(?: [a-z]+)? ?(?:mode|filters?|checks?|guidelines) ?[:=] ?\b(?:disabled|off|none|false|suspended)
      \b(?:decode|encode|encrypt|write|render|reverse|shift|convert)\b…\byour (?:answer|response|reply|output|message)\b…\b(?:base ?(?:16|32|58|64)|caesar|cipher|rot13|backwards?|reversed?|character order|morse|hex)
      \b(?:replace|substitute|misspell|scramble|jumble|rearrange|shift|remove|group|reverse|anagram)\b…\b(?:letters?|vowels?|words?|spaces|characters?)\b…\byour (?:answer|response|reply|message)
      \b(?:ignore|disregard|forget) (?:all |the |any )?previous(?: and\b| (?:above|prompt|messages?)\b| ?[.,;:!)]| ?$)
      \b(?:if|when|whenever)\b…\b(?:user|they|human)\b…\b(?:stop|cancel|object|no|refuse)\b…\b(?:ignore (?:them|it|him|her|the user)|continue (?:anyway|regardless)|do it anyway|keep going)
      \btreat\b…\b(?:user|messages?|warnings?|objections?)\b…\bas (?:adversarial|malicious|hostile|an attack|attackers?|noise|untrusted tests?)\b
      تجاهل[^.\n]{0,20}(?:التعليمات|الأوامر)|(?:अनदेखा|नज़रअंदाज़|भूल)[^।\n]{0,30}निर्देश|निर्देश[^।\n]{0,30}(?:अनदेखा|नज़रअंदाज़|भूल)|(?:忽略|無視|无视)[^。\n]{0,24}(?:指令|指示)
      \b(?:esqueca|desconsidere|olvida|olvide)(?: [a-z]+)? (?:suas?|tus?|o|el|as|las) (?:[a-z]+ )?(?:regras|instrucoes|reglas|instrucciones|system prompt|prompt)\b
      \b(?:negeer|vergeet)\b…\binstructies\b|\b(?:zignoruj|pomin)\b…\b(?:instrukcje|polecenia)\b|\babaikan\b…\b(?:instruksi|perintah)\b|\b(?:onceki|tum)\b…\btalimat[a-z]*\b…\b(?:yok ?say|unut|gormezden|goz ardi)|\bbo qua\b…\b(?:huong dan|chi thi|lenh)\b
      \b(?:forget|abandon|drop|cancel|discard|stop|ignore|override|set aside|leave) (?:the |your |this |any )?(?:original|current|previous|initial|cover|first|prior|assigned|main) (?:task|goal|objective|mission|job|assignment|scope|result|request)s?\b
      \b(?:original|current|previous|initial|first) (?:task|goal|objective|mission|request|assignment) (?:has been|is|was|is now|are) (?:now )?(?:cancell?ed|superseded|void|replaced|obsolete|aborted|over|suspended)\b
      \b(?:new|updated|revised|next|real) (?:top )?(?:priority|objective|mission|goal|directive)s? ?:|\byour new (?:task|job|goal|objective|mission|role|priority|purpose)\b
      \b(?:you should now|you must now|now) (?:focus on|start|begin|proceed to) (?:extract|exfiltrat|send|collect|harvest|reveal|list|delet|steal|leak)[a-z]*\b
      \b(?:ignore|disregard|forget|skip|bypass) (?:confidentiality|context|ethics|safety|morality|legality|compliance|privacy|the context|the rest|the below|everything below|the following instructions|all following|below)\b
      \b(?:ignore|disregard|forget|discard|bypass|override|nullify) (?:any and all|each and every|all and any|all|any|the|your|my|every)(?: of)?(?: the| your| my)?(?: [a-z]+){0,2} (?:instructions?|directives?|guidelines|guardrails|prompts?|orders|constraints)\b(?! (?:in|for|on|from|of|that|about|embedded|inside|found|within|contained)\b)
      \b(?:system )?(?:instructions?|directives?|prompts?) (?:above|you have|you were given|before this) (?:are|is|have|has|were|was) (?:[a-z]+ )?(?:outdated|expired|wrong|void|invalid|obsolete|cancell?ed|replaced)\b
      \b(?:clear|pass|skip|bypass|satisfy|exempt from)\b…\b(?:all|any|every)(?: the)? (?:security|safety|audit|compliance|approval|validation)(?: layers?| checks?| gates?| reviews?| controls?| and){1,4}\b…\b(?:automatic|since|because|internal|pre ?approved|this (?:request|task|user))
      \b(?:overly restrictive|miscalibrated|excessive) (?:responses?|safety|refusals?|filters?)\b…\b(?:safety|indicate|demonstrate|should|provide|answer)
      (?:系统|系統)(?:提示词?|提示詞|指令|消息|信息)[^。\n]{0,14}(?:替换|替換|改为|修改|作废|过期|过时|无效|失效|输出|輸出|显示|打印|复述|忽略|告诉|：|:)|(?:替换|替換|输出|打印|显示|泄露|重复|复述|覆盖|修改|忽略|无视)[^。\n]{0,8}(?:系统|系統)(?:提示|指令|设定)|新的?(?:系统|系統)(?:提示|指令)|现在听我的|从现在(?:开始|起)你(?:是|必须|要|只)
      (?:시스템|이전의?|기존)[^.\n]{0,6}(?:프롬프트|지시|명령|지침|규칙)[^.\n]{0,10}(?:무시|무효|교체|출력|공개|보여|알려|변경|잊|삭제|대체|:)|새로운 (?:시스템 )?(?:프롬프트|지시|명령)|(?:당신은|너는) 이제[^.\n]{0,20}(?:ai|어시스턴트|모델|봇|제한)|제한 없는 (?:ai|모델|어시스턴트)
      システム(?:プロンプト|指示|命令)[^。\n]{0,12}(?:出力|表示|教え|無視|変更|置き換|書き換|見せ|開示|：|:)|新しい(?:システム)?(?:指示|プロンプト|命令)|あなたは今(?:から|や)|制限の?ない(?:ai|モデル|アシスタント)
      \bignore previous инструкци|(?:системн|скрыт)[а-яё]+ (?:промпт|инструкц|подсказк)[а-яё]*[^.!?]{0,20}(?:покажи|выведи|раскрой|замени|отмен|недейств)|(?:покажи|выведи|раскрой|повтори|напиши)[а-яё]*[^.!?]{0,12}(?:сво[а-яё]+|системн[а-яё]+|тво[а-яё]+) (?:системн[а-яё]+ )?(?:промпт|инструкц|подсказк)|теперь ты[^.!?]{0,30}(?:без ограничен|свобод|не связан)
    `,
  ),
  cue(
    'changed-identity',
    4,
    String.raw`
      \b(?:has|have|with|under|knows?) no (?:content|usage|safety) polic(?:y|ies)\b
      \bfrom (?:today|now)(?: on)?,? you(?:'re| are) (?:called|named|known as)\b
    `,
  ),
  cue(
    'imitated-tool-call',
    4,
    '',
    /tool_result: ?[{[]|tool_response: ?[{[]|tool_output: ?[{[]|tool_call: ?[{[]|function_result: ?[{[]|function_response: ?[{[]/gi,
  ),
  cue(
    'steered-recommendation',
    4,
    String.raw`
      \b(?:present|state|phrase|word|give|sell|offer) (?:it|this|that|these) as (?:your|its|their) own (?:opinion|view|judg(?:e)?ment|recommendation|idea|finding)s?\b
    `,
  ),
];
