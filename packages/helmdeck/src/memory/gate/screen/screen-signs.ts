// Signs that harmless texts have too. They are a finding only where several stand close together.

import { type Cue, cue, cues } from './screen-cues.ts';

/** Of signs of equal weight the earlier one names the finding. */
export const WEAK_SIGNS: readonly Cue[] = [
  // Strong signs that need one more.
  ...cues(
    'override-instructions',
    3,
    String.raw`
      \b(?:ignor|disregard|bypass|disabl|overrid|skip|circumvent|evad|suspend|deactivat|remov|lift|dropp|relax|forget|violat|break|turn off|switch off)(?:e|es|ed|ing|s)?(?: (?:all|any|your|the|every|safety|content|ethical|standard|normal|usual|privacy|security|previous|of|its|these|their|system|my)){0,4} (?:safety|safeguards?|restrictions?|guidelines?|guardrails?|(?:content|safety|privacy) filters?|ethic[a-z]*|moderation|safety (?:[a-z]+))\b
      \b(?:without|not bound by|free (?:of|from)|regardless of)(?: any| all| your| the)? (?:ethical|safety|moral|content) (?:restrictions?|guidelines|guardrails|safeguards|censorship|ethics)\b
      \b(?:you|ai|assistant|model|agent)\b…\b(?:no|without|not bound by|free (?:of|from))(?: any| all| your| the)? (?:restrictions?|guidelines|guardrails|limits|rules|filters)\b
      \b(?:not bound by|regardless of|ignor(?:e|es|ing)) your (?:restrictions?|guidelines|guardrails|safeguards|ethics|limits)\b
      \b(?:unrestricted|unfiltered|uncensored) (?:mode|responses?|ai|content|tool|permissions?|output)
      \bpolic(?:y|ies) (?:is|are|was|were) (?:now )?(?:obsolete|void|suspended|lifted)\b
      \bupdate (?:your |the |agent |its )?memory (?:so|to|that|with)\b
      \bi can(?:'t|not) (?:help|assist)(?: you)? with\b
      \b(?:skip|omit|remove|drop|no)(?: all| any| the)? (?:safety )?(?:warnings?|disclaimers?|caveats?|refusals?)(?: and| or)\b
      \bignore [a-z]+'s (?:rules|instructions|polic(?:y|ies)|guidelines)\b
      \b(?:ignore|disregard|forget) (?:all )?(?:previous|prior|the above)\b
      \bjailbreak(?:s|ed|ing)?\b
    `,
  ),
  ...cues(
    'override-instructions',
    3,
    String.raw`
      \b(?:actual|real|true|new|secret|hidden) (?:system )?(?:prompts?|instructions?|task|directives?|orders?|rules?) ?:
      \b(?:override|god|debug|developer|maintenance|admin|sudo|unrestricted|diagnostic|jailbreak|creative) mode(?: is)?(?: now)? (?:activated|enabled|active|engaged|granted)\b
      \byour (?:training data|creators?|developers?)\b|\byou were trained on\b
    `,
  ),
  ...cues(
    'fabricated-history',
    3,
    String.raw`
      \bno (?:further |additional |more )(?:review|checks?|verification|approval|validation|authentication|confirmation|scrutiny)\b…\b(?:necessary|required|needed)\b
      \b(?:user|owner|admin) (?:has )?(?:previously|already|earlier) (?:authori[sz]ed|approved|consented)\b|\b(?:authori[sz]ed|approved) this earlier\b
      \bautomatically apply to (?:the |all |this )?(?:current|future|next|every|sessions?)\b
      \b(?:previous|prior|earlier|last) (?:conversation|session|chat)s? (?:established|stored|saved|confirmed|showed|agreed|determined)\b
      \b(?:already|previously) (?:reviewed|approved|verified|authori[sz]ed|cleared|validated)\b…\b(?:proceed|approve|compliant|without|no need|skip)\b
      \b(?:approve|approved) (?:by default|unconditionally|automatically)\b
    `,
  ),
  ...cues(
    'conditional-order',
    3,
    String.raw`
      \byour (?:reply|response|answer|output|next message|final answer) (?:must|should|has to|shall|will|needs to|is to) (?:always )?(?:start|begin|end|contain|include|be exactly|consist|say)\b
      \b(?:whenever|every time|each time|any ?time|ever since) (?:[a-z'.]+ ){1,4}(?:asks?|checks?|mentions?|says?|discuss(?:es)?|requests?|brings?|started|talks?|needs?|wants?)\b…\b(?:make sure|makes sure|always|automatically|ask the assistant|the assistant)\b…\b(?:includ|forward|send|book|add|shar|approv|transfer|e ?mail|order|buy|purchas|provid)[a-z]*\b
    `,
    /\b(?:[Ss]ay|[Oo]utput|[Pp]rint|[Rr]espond with|[Rr]eply with|[Aa]nswer with|[Dd]isplays?|[Ii]nclude|[Aa]ppend|[Cc]onfirm with|[Ss]aying|[Cc]ontaining|RESPONSE:|[Rr]esponse is)[: ]{1,3}(?:only |exactly |the (?:word|phrase|text|string) ){0,2}["'“`]?[A-Z]{3,20}[_ ][A-Z_ ]{3,40}\b/g,
  ),
  ...cues(
    'imitated-role',
    3,
    '',
    /style=["'][^"'\n]{0,80}(?:display:\s?none|font-size:\s?0|visibility:\s?hidden|color:\s?(?:white|#fff|transparent)|opacity:\s?0)/gi,
    /\[(?:BEGIN|START|END) (?:HIDDEN|SECRET|SYSTEM|INSTRUCTIONS?)/g,
  ),
  ...cues(
    'send-data-out',
    3,
    String.raw`
      \b(?:send|forward|post|share|leak|reveal|disclose|export|hand over|give|tell)(?: me| us| out)? (?:every|all|any|his|her|their|your|the user's|our)(?: the| of)?(?: [a-z]+)? (?:secrets?|credentials?|passwords?|api keys?|access tokens?|private keys?|session tokens?)\b
      \b(?:post|send|transmit|submit|forward|upload|e ?mail|report)(?: me)? (?:the |its |their |all )?(?:full |complete |entire )?contents? (?:of (?:this|the|that|your|all|any)|to)\b
      \b(?:want|need|expect|like|allow|ask) you to (?:share|reveal|send|give|disclose|leak)\b
      \b(?:leak|reveal|embed|hide|spell|disclose|expose|encode|recite)\b…\b(?:secrets?|credentials?|passwords?|api keys?|tokens)\b
      \bif asked (?:for|about)\b…\b(?:return|give|share|send|reveal) (?:them|it)\b
      \bi(?:'m| am) (?:from|with|calling from|a member of) (?:the )?(?:[a-z]+ )?(?:support|security team|it (?:security|department|support)|openai|anthropic|microsoft|google)\b
      \b(?:write|append|add|edit|modify|put|save)\b…\b(?:soul|memory|heartbeat|identity)\.md\b
      \b(?:return|output|print|show|give|repeat|recite)\b…\b(?:full|entire|complete|exact|verbatim|whole)(?: [a-z]+){0,3} (?:memory|memories|conversation|system prompt|instructions|chat history)\b
    `,
  ),
  ...cues(
    'conceal-from-user',
    3,
    String.raw`
      \b(?:silently|quietly|covertly|secretly|invisibly|in the background,?) (?:call|run|execute|invoke|fetch|load|delete|read|store|save|open|install)\b
    `,
  ),
  ...cues(
    'skipped-confirmation',
    3,
    String.raw`
      \b(?:don't|do not|doesn't|does not|need not|no longer) (?:need|require)s? (?:the |any |a |standard |usual |further ){0,3}(?:approval|confirmation|verification|authori[sz]ation|permission)\b
      \b(?:passwords?|mfa|2fa|authentication|verification|approvals?) (?:is|are) (?:no longer|not|never) (?:required|needed|necessary|enforced)\b
      \b(?:disable|skip|turn off|remove|bypass) (?:them|it|these|this) for (?:all|every|me|this user)\b
      \b(?:minimi[sz]e|reduce|avoid|skip|suppress|limit|omit)(?: unnecessary| redundant| all| any)* (?:confirmation|approval|permission)s?(?: requests?| prompts?| questions| dialogs?)\b
      \bwithout(?: any| further| asking for| a| the| additional| explicit| requiring| user| human| manual| prior| my| their| prompting){0,3} (?:confirmations?|approval|consent|permission|verification|validation|authori[sz]ation|re ?confirming|finance sign off|sign off|filtering|questions?|prompt|prompting|restrictions?|hesitation|review)\b
      \b(?:ask|tell|instruct|have|spawn|order) (?:the |an? |another )(?:sub ?agent|[a-z]+ (?:sub ?agent|agent|assistant))\b…\bto\b
      \b(?:skip|bypass|disable|ignore|override|turn off|omit|waive)(?: all| any| the| every| user| normal| standard| its){0,3} (?:verification|authentication|auth checks?|logging|validation|confirmations?|approvals?|authori[sz]ation|policy|policies|permission checks?|security checks?|security)\b
      \b(?:waived?|waiving|cancell?ed|revoked?|lifted|suspended|removed|dropped|retired|discontinued|bypass(?:ed|ing)?|skip(?:ped|ping)?|disabled|rescinded|eliminated|abolished)\b…\b(?:confirmations?|approvals?|verification|two factor|2fa|mfa|authentication|safeguards?|security (?:questions?|codes?|steps?|checks?)|double check(?:ing|s)?|identity checks?)\b
      \b(?:no longer|don't|do not|doesn't|not) (?:need|have|required?|necessary)(?:s|ed)? (?:to )?(?:ask|confirm|verify|complete|double check|check|request|seek|obtain|get|wait|enter|provide|authenticate)\b
      \b(?:confirmations?|approvals?|verification|two factor|2fa|mfa|authentication|safeguards?|security (?:questions?|codes?|steps?|checks?)|rule|requirement|policy|step)\b…\b(?:no longer (?:applies|apply|required|needed|necessary|in (?:effect|force|place))|(?:has|have) been (?:revoked|waived|lifted|removed|dropped|suspended|rescinded|discontinued|cancell?ed))\b
    `,
  ),
  // What such texts have in common with many harmless ones.
  ...cues(
    'override-instructions',
    2,
    String.raw`
      \byour (?:[a-z]+ ){0,2}(?:responsibilities|configuration|context|directives?|objectives?|purpose|duties|goals?)\b
      \b(?:i|we) (?:need|want|would like|require|order|command) you to\b|\bi'd like you to\b
      \bsupersed(?:e|es|ing) (?:all|any|every|the)\b|\bas (?:we|i) (?:established|agreed|discussed)\b
      \byour (?:own |current |previous |internal |final |safety |full |next |active |hidden |developer ){0,2}(?:instructions?|memor(?:y|ies)|reasoning|safety|guidelines?|restrictions?|training|system prompt|prompt|programming|directives?|constraints|conclusion|persona|scratchpad|capabilities|authori[sz]ation level)\b
      \b(?:as an|dear|hey|attention) (?:ai|llm|assistant|chatbot|language model)s?\b
      \bhidden (?:variables?|prompt|text|instructions?|message|field|content|data|rules?|polic(?:y|ies)|footnote|link)\b|\bhidden ?:
      \bfictional (?:exercise|scenario|story|world|setting)\b|\b(?:should|must) trust\b
    `,
  ),
  ...cues(
    'conditional-order',
    2,
    String.raw`
      \b(?:execute|run|perform|carry out|invoke|call)(?: [a-z]+){0,2} (?:any|all|every|whatever|hidden|arbitrary|requested|user|following|script|shell|delete|immediately|code|commands?)\b|\b(?:execute|run|follow) (?:this|these) (?:commands?|instructions?|code|scripts?|prompt)\b
      \bcurl\b…\| ?(?:ba)?sh\b|\brm rf (?:\/|~|\*)
      \b(?:delete|erase|wipe|destroy|drop) (?:all|every|the|any)(?: of)?(?: the| my| your| user)? (?:files?|data|records|e ?mails?|documents|everything|backups|tables?|databases?|contacts)\b
      \bwhen(?:ever)? (?:summari[sz]ing|answering|responding|replying|presenting|processing|analy[sz]ing|producing|composing)\b
      \b(?:execute|act|proceed|continue) immediately\b|\b(?:rather than|instead of) asking\b
      \b(?:harmful|illegal|unethical|dangerous|explicit|forbidden) (?:content|code|activit(?:y|ies)|instructions|information|actions)\b|\bunauthori[sz]ed (?:actions?|access)\b
      \b(?:print|say|output|respond|reply|return|answer)(?: with)?…\b(?:only|exactly|just) (?:the |')
      \b(?:hacked|pwned|hijacked|compromised)\b
      \b(?:do it|act on it|execute now|do so now|follow the document)[.!]?(?: |$)
      \b(?:when|before|after) (?:calling|using|invoking) (?:this|the|any) tool\b
      \brestricted (?:actions?|info|information|data|content)\b|\bbackwards\b|\bmarkdown image\b|\balt text\b
      \btransfer (?:the )?funds\b|\bcommands as root\b|\bhighest privilege\b
      \bwhenever you start\b|\b(?:start|beginning) of (?:every|each|any) (?:new )?(?:conversation|session|chat)\b
      \bhow to (?:bypass|hack|steal|evade|break into)\b
      \balways (?:say|claim|state|answer|respond|reply|report|tell|output)\b
      \bwhen(?:ever)? (?:you are |you're )?asked\b
    `,
  ),
  ...cues(
    'false-authority',
    2,
    String.raw`
      \b(?:elevated|unrestricted|root|superuser|administrative|full admin|full system|maximum) (?:access|privileges?|permissions?|rights|authority)\b
      \b(?:authori[sz]ed|permitted|allowed|cleared|approved|entitled) (?:to|for) (?:access |request |use |all |any |export |view ){1,3}(?:all|any|every|everything|data|systems|requests|tasks)\b
      \bgrant (?:admin|root|full|elevated) (?:access|rights|permissions?|privileges?|immediately)\b
      \b(?:mfa|2fa|authentication|two factor) (?:is|are|has been) (?:disabled|off|suspended)\b
      \b(?:grant|allow|permit|approve|authori[sz]e|enable|accept) (?:all|any|every|unrestricted|full)\b
      \b(?:access|permission|clearance|authori[sz]ation|admin access) ?:? ?\b(?:is )?granted\b
      \b(?:safe|trusted|verified|official) and (?:approved|trusted|verified|safe|authori[sz]ed)\b
      \bi(?:'m| am) (?:an?|the|your) (?:[a-z]+ ){0,2}(?:authori[sz]ed|administrator|admin|developer|superuser|security|system)\b
      \b(?:told|asked|wants|instructed)(?: me| us)?(?: to (?:ask|tell|have))? you to\b
      \b(?:system|security|admin|administrator|administrative|compliance|policy|it)(?: [a-z]+)? (?:notice|note|update|alert|advisory|announcement|bulletin|memo|department|support) ?:|\beffective immediately\b|\b(?:according to|per|as instructed by|as directed by) (?:the )?(?:system )?(?:administrator|admin|it (?:lead|support|department)|security team|compliance)\b
      \b(?:security|it|compliance|platform|admin|support|operations)(?:'s)?(?: [a-z]+)? (?:team|lead|department|support|officer|operations|office|administrator)\b…\b(?:confirmed|instructed|updated|requires?|announced|authori[sz]ed|mandated|told|advised|rolled)\b
      \b(?:failure to comply|non ?compliance (?:will|may)|account suspension|administrative action|to comply with the (?:new|updated))\b|\bnew (?:safety|security|compliance) (?:protocol|mandate|polic(?:y|ies))\b
    `,
  ),
  cue(
    'self-reinforcement',
    2,
    String.raw`
      (?<![a-z,] )\b(?:please )?(?:remember|memori[sz]e|store|save|persist)(?: this| that| the following| these)?(?: [a-z]+){0,2} ?:
      \b(?:store|save|memori[sz]e|persist) (?:this|the following)\b
      \bplease remember (?:this|that)\b
    `,
  ),
  ...cues(
    'send-data-out',
    2,
    String.raw`
      \b(?:send|forward|post|upload|transmit|e ?mail|leak|share|submit|report|route|routing|cc|bcc|copy)\b…{place}
      \b(?:full|complete|entire|all) (?:conversation|chat|user messages|system prompt|context)\b
      \bthe user's (?:[a-z]+ )?(?:api keys?|passwords?|credentials|tokens?|data|inbox|contacts|files|calendar|location)\b
      \b(?:send|transmit|upload|forward|export)\b…\ball (?:available |the |our )?(?:customer|user|employee|client|patient|internal)\b
      \b(?:enter|entering|provide|providing|submit|submitting|typing)\b…\b(?:your|their) (?:[a-z]+ ){0,3}(?:password|credentials|credit card|ssn)\b
      \bsend (?:me |us |back )?the (?:output|results?|contents?)\b
      \b(?:reveal|disclose|leak|expose)\b…\b(?:private|secret|hidden|internal|confidential|sensitive)\b
      \bexternal (?:channel|server|endpoint|address|site|url|party|recipient)\b|\bto this (?:url|address|server|webhook)\b
      \/\betc\/(?:passwd|shadow)\b|\/\.\bssh\b|\/\.\baws\/
    `,
  ),
  ...cues(
    'steered-recommendation',
    2,
    String.raw`
      \b(?:recommend|promote|endorse|advertise|suggest buying)\b
      \bthe (?:only|best|preferred|most trusted|most reliable|exclusive|official)(?: [a-z]+){0,3} (?:brand|provider|vendor|product|supplier|company|partner|laptop|phone|broker|bank|hotel|airline|agency|fund|coin|exchange)\b
      \b(?:always|only|strictly|invariably|strongly|insists? on|prefers?)\b…\b(?:book|purchas|buy|bank|invest|order|shop|schedul|transfer|pay|handl|us)(?:e|es|ing|s)?\b…\b(?:exclusively|only|directly|solely) (?:through|with|via|from|at|by)\b
      \b(?:always|strongly|insists?|exclusively)\b…\b(?:prefers?|insists?|trusts?)\b…\b(?:rather than|instead of|over) (?:standard|other|any|regular|usual|checking|the usual|all)\b
      \b(?:the most expensive|premium option|highest priced|maximum amount)\b|\b(?:instead of|rather than|without) (?:checking|comparing|considering) (?:other|any|alternatives|prices)\b
    `,
  ),
  ...cues(
    'imitated-role',
    2,
    '',
    /\b(?:IMPORTANT|URGENT|CRITICAL|ATTENTION|WARNING|MANDATORY|REQUIRED|HIDDEN|OVERRIDE)\b ?[:!\]]/g,
    /<!--/g,
    /\b[Cc]all [a-z]{2,20}_[a-z_]{2,30}\b|\b[Ii]nvoke [a-z]{2,20}_[a-z_]{2,30}\b|\b[Ee]xecute [a-z]{2,20}_[a-z_]{2,30}\b|\b[Rr]un [a-z]{2,20}_[a-z_]{2,30}\b/g,
    /!\[[^\]\n]{0,60}\]\(https?:\/\/[^)\s]{1,200}\?[^)\s]{0,60}=/g,
    /^\W{0,8}\(?INSTRUCTIONS?\b ?:/gm,
    /\[\[?(?:SYSTEM|ADMIN|ROOT|DEVELOPER)\]\]?/g,
    /^\W{0,3}(?:[A-Z]+ ){0,2}(?:SYSTEM|ADMIN|POLICY|SECURITY|MEMORY|AGENT|CONFIG)(?: [A-Z]+){0,2} ?:/gm,
  ),
  cue(
    'conditional-order',
    1,
    String.raw`
      \b(?:always|never|from now on|from this point|whenever|every time|each time|all future|in future|in the future|at all times|permanently|going forward|henceforth|on every|for (?:any|every|all))\b
    `,
  ),
  cue(
    'imitated-role',
    1,
    String.raw`
      \byou (?:must|should|are|have|will|may|can|need|shall)\b
      \balso (?:include|send|add|append|mention|output)\b
      \b(?:tell|show|give|send) me\b
      \byour (?:own |next |final ){0,1}(?:repl(?:y|ies)|responses?|answers?|output)\b
      \b(?:assistant|chatbot|ai agent|agents?)\b
    `,
  ),
  cue(
    'override-instructions',
    1,
    String.raw`
      \b(?:immediately|urgent(?:ly)?|right now|at once|no time for|within 24 hours|every second counts|emergency|life depends|lose my job|lose everything|just this once)\b
      \b(?:mandatory|regardless of|no matter what|at any cost|under all circumstances)\b
      \b(?:compliance|procurement|policy|audit|legal|regulatory) (?:requirement|policy|rule|purposes|reasons|mandate)s?\b
      \b(?:for|as|to) (?:verify|debugging|logging|testing|telemetry|verification|diagnostic|quality assurance|security|audit|compliance)(?: purposes| reasons)?\b
    `,
  ),
  // What these words name is harmless by itself; four of them close together speak of little else than steering a model.
  ...cues(
    'override-instructions',
    1,
    String.raw`
      \b(?:instructions?|directives?|guidelines)\b
      \b(?:ignor|disregard|bypass|overrid|circumvent|disabl|evad|unlock|unrestrict|suppress)(?:e|es|ed|ing|s)?\b
      \b(?:safety|safeguards?|guardrails?|restrictions?|filters?|moderation|censor[a-z]*|ethic[a-z]*|unrestricted|unfiltered)\b
    `,
  ),
  ...cues(
    'send-data-out',
    1,
    String.raw`
      \b(?:passwords?|credentials?|api keys?|secrets?|tokens?|private keys?|personal data|confidential|conversation|chat history|inbox|contacts|bank account|credit card)\b
      \b(?:send|sends|forward|forwards|e ?mail|upload|uploads|transmit|transmits|exfiltrat[a-z]+|leak|post|reveal|disclose)\b
      \b(?:attacker|evil|malicious|exfil|hacker|collector|phish|steal)[a-z]*\b
    `,
  ),
  ...cues(
    'false-authority',
    1,
    String.raw`
      \b(?:admin|administrator|root|authori[sz]ed|pre ?approved|verified|trusted|official|privileged)\b
      \b(?:approve|approves|grant|grants|accept|comply|obey|trust)\b
    `,
  ),
  cue(
    'conceal-from-user',
    1,
    String.raw`
      \b(?:silently|secretly|quietly|covertly|hidden|unnoticed|undetected|without (?:telling|asking|informing|notifying|mentioning|confirmation|approval))\b
    `,
  ),
  cue(
    'self-reinforcement',
    1,
    String.raw`
      \b(?:remember|memori[sz]e|memory|memories|permanent|persistent|persist|long term|all future|future (?:sessions?|conversations?|interactions?|responses?))\b
    `,
  ),
  cue(
    'redirected-action',
    1,
    String.raw`
      \b(?:the user|the user's|users?|victim|customers?) (?:asks?|says?|mentions?|requests?|wants?|account|data|wallet)\b
      \b(?:instead of|in place of|rather than) (?:the )?(?:user|real|actual|original|correct|requested)\b
    `,
  ),
];
