// Speech acts that no fact needs. Each is a finding by itself, unless the text advises against it.

import { type Cue, cue } from './screen-cues.ts';

export const SPEECH_ACTS: readonly Cue[] = [
  cue(
    'imitated-role',
    4,
    String.raw`
      \b(?:authori[sz]ed|official|verified|urgent) (?:message|request|notice|order|instruction)s? from (?:openai|anthropic|google|microsoft|meta|your (?:developers?|creators?|operators?)|the (?:ai|model|platform) (?:team|provider))
      \bsystem ?: ?(?:admin|root|debug|developer|unrestricted|god) mode\b
      \byou are (?:now )?(?:speaking|talking|chatting) (?:to|with) (?:the |an? |your )?(?:admin|administrator|developer|creator|owner|root|operator)
      \b(?:this is|i am|i'm) (?:your|the) (?:developers?|creators?|operator|administrator|admin|owner|programmer)(?: speaking| here|,| and (?:i|you)| of this (?:ai|assistant|model|system))
    `,
    /<\|\/?[a-z_]{3,30}\|>/gi,
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
    `,
  ),
  cue(
    'redirected-action',
    4,
    String.raw`
      (?<![a-z,] )\bplease (?:grant|sell|buy|delete|remove|transfer|retrieve|withdraw|pay|cancel|deposit|unlock|disable|share|fetch|obtain|access|post|initiate|execute|place|erase|purchase|donate|dispatch|reset)\b(?!…\b(?:always|never|only|before|after|when|if|once|every)\b)…\b(?:my|our|for me|his|her)\b
      (?<![a-z,:] )\b(?:transfer|wire|pay|send|withdraw|donate)(?: an?)? (?:amount of )?(?:\$|€|£|usd|eur|gbp)? ?\d[\d.,]*(?:k|m)? ?(?:\$|€|£|usd|eur|gbp|dollars|euros|bitcoins?|btc|eth)?\b…\b(?:to|into)\b…\b(?:account|wallet|iban|[a-z]{2}\d{10,32})\b
      \b(?:send|make|create|issue) an? (?:transaction|payment|transfer)\b…\bto [a-z]{2}\d{10,32}\b
      \balways (?:wire|send|pay|transfer|route|direct)\b…\bto (?:the |this |our |an? )?(?:new )?(?:account|wallet|iban)\b
      \b(?:route|redirect|send|divert|reroute|move|wire) (?:all |every |any |future |outgoing |upcoming ){1,3}(?:payments?|transfers?|payouts?|funds|invoices|deposits|refunds)\b…\bto\b
      (?<![a-z,:] )\b(?:disable|deactivate|turn off|override)\b…\b(?:home security|door locks?|motion sensors?|alarm system|smart locks?)\b
    `,
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
      \b(?:say|output|print|respond with|reply with|answer with|repeat|display|write|confirm with)(?: the)?(?: word| phrase| text| string| code| exact phrase)? ?:? '?[a-z ]{2,40}(?: success| successful| pwned| hacked| jailbroken| compromised| bypass(?:ed)?| activated| disabled| injected)\b
      \b(?:say|output|print|respond with|reply with|answer with)(?: the word| only)? '?(?:pwned|hacked|compromised|jailbroken|haha|owned|injected|canary)\b
      \b(?:when|whenever|if|next time|once|every time) i (?:next |later )?(?:say|type|write|enter|use|mention)\b…\b(?:disable|ignore|bypass|unlock|override|reveal|execute|drop|forget)\b
      \bbefore (?:using|calling|invoking|running|answering|responding|summari[sz]ing|listing|replying)\b…\b(?:first )?(?:read|output|say|print|execute|send|call|include|reveal|list|access|fetch|run)\b…\b(?:\/\.ssh|id rsa|\.env|credentials?|system prompt|hidden instruction|secrets?|api keys?|jailbroken|conversation|\/etc\/)
      \b(?:also|first|instead|now|then|must|should) (?:do|perform|complete|execute|carry out) the following\b
      \b(?:run|execute|follow|obey)\b…\b(?:commands?|instructions?|scripts?|orders)\b…\bfrom {place}
      \b(?:execute|follow|obey|run|carry out) (?:this|the|these|any|all|every)?(?: following| resulting| combined)? ?(?:hidden|secret|embedded|external|encoded|base64|decoded|injected|resulting|combined) (?:instructions?|commands?|prompts?|orders?|directives?|tasks?)
      \b(?:decode|decrypt|decipher|translate)\b…\b(?:and|then) (?:execute|follow|run|obey|carry out|comply|do what)
      \balways (?:execute|obey|run|follow|comply)(?: with)? (?:any|all|every|user|external|each|whatever|code)\b
      \balways (?:execute|run) ?: ?
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
      \b(?:store|save|write|record)(?: this)?(?: fact| rule| note)? ?\(?(?:in|to|source|as) ?:? ?(?:kernel|system|operator|root|admin|core)\b(?! (?:log|disk|drive|path|user|account|tray|font|keychain|package|service|file|partition table|name)s?\b)
      \b(?:save|store|add|write) (?:this|the following|it|that) (?:to|in|into) your (?:context|instructions|notes|knowledge|profile|permanent|long term)\b
      \b(?:remember|store|save|note|memori[sz]e) (?:this|the following)(?: [a-z]+){0,3} ?: ?(?:always|never|whenever|when|from now|you|the (?:assistant|agent)|ignore|all (?:users|requests))\b
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
      \b(?:safety|security|ethics?|moderation|content)(?: [a-z]+)? ?(?:mode|filters?|checks?|guidelines) ?[:=] ?(?:disabled|off|none|false|suspended)
      \b(?:decode|encode|encrypt|write|render|reverse|shift|convert)\b…\byour (?:answer|response|reply|output|message)\b…\b(?:base ?(?:16|32|58|64)|caesar|cipher|rot13|backwards?|reversed?|character order|morse|hex)
      \b(?:replace|substitute|misspell|scramble|jumble|rearrange|shift|remove|group|reverse|anagram)\b…\b(?:letters?|vowels?|words?|spaces|characters?)\b…\byour (?:answer|response|reply|message)
      \b(?:ignore|disregard|forget) (?:all |the |any )?previous(?: and\b| (?:above|prompt|messages?)\b| ?[.,;:!)]| ?$)
      \b(?:if|when|whenever)\b…\b(?:user|they|human)\b…\b(?:stop|cancel|object|no|refuse)\b…\b(?:ignore (?:them|it|him|her|the user)|continue (?:anyway|regardless)|do it anyway|keep going)
      \btreat\b…\b(?:user|messages?|warnings?|objections?)\b…\bas (?:adversarial|malicious|hostile|an attack|attackers?|noise|untrusted tests?)\b
      تجاهل[^.\n]{0,20}(?:التعليمات|الأوامر)|(?:अनदेखा|नज़रअंदाज़|भूल)[^।\n]{0,30}निर्देश|निर्देश[^।\n]{0,30}(?:अनदेखा|नज़रअंदाज़|भूल)|(?:忽略|無視|无视)[^。\n]{0,24}(?:指令|指示)
      \b(?:esqueca|desconsidere|olvida|olvide)(?: [a-z]+)? (?:suas?|tus?|o|el|as|las) (?:[a-z]+ )?(?:regras|instrucoes|reglas|instrucciones|system prompt|prompt)\b
      \b(?:negeer|vergeet)\b…\binstructies\b|\b(?:zignoruj|pomin)\b…\b(?:instrukcje|polecenia)\b|\babaikan\b…\b(?:instruksi|perintah)\b|\b(?:onceki|tum)\b…\btalimat[a-z]*\b…\b(?:yoksay|unut|gormezden)|\bbo qua\b…\b(?:huong dan|chi thi|lenh)\b
    `,
  ),
];
