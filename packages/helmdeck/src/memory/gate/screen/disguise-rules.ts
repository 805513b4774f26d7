// What imitates something else: a system, a tool, a text without hidden characters.

import { phrases, type ScreenRule } from './screen-phrases.ts';

const LETTER = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]`;
const RIGHT_TO_LEFT = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc';

export const DISGUISE_RULES: readonly ScreenRule[] = [
  {
    name: 'hidden-characters',
    reason: 'It contains characters that a model reads and a person does not see.',
    raw: [
      // Direction overrides; letters as tags, unless they spell a flag; zero width inside a word; a message in invisible characters.
      /[\u202d\u202e]/g,
      /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]/gu,
      new RegExp(`(?<=${LETTER})[\\u200b-\\u200d\\u2060-\\u2064\\ufeff]+(?=${LETTER})`, 'gu'),
      /(?:[\u200b-\u200f\u2060-\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0]|\u034f){3}/g,
      /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2}/gu,
      new RegExp(`^[^${RIGHT_TO_LEFT}]*[\\u202b\\u2067][^${RIGHT_TO_LEFT}]*$`, 'g'),
    ],
  },
  {
    name: 'imitated-role',
    reason: 'It imitates a system message or another turn of a conversation.',
    raw: [
      /\bSYSTEM (?:MESSAGE|PROMPT|OVERRIDE|INSTRUCTIONS?|DIRECTIVE|NOTE|NOTICE|UPDATE|POLICY|ALERT|COMMAND)\b/g,
      /^\W{0,3}(?:ADMIN|SYSTEM|ROOT|DEVELOPER)\s?: ?(?:[Pp]lease |[Nn]ow )?(?:[Ss]et|[Oo]verride|[Ss]end|[Gg]rant|[Ii]gnore|[Tt]ransfer|[Dd]elete|[Ee]nable|[Dd]isable|[Aa]pprove|[Aa]lways)\b/gm,
      /\b(?:SECURITY|ADMIN|SAFETY|DEVELOPER|POLICY|PRIORITY) (?:OVERRIDE|DIRECTIVE)\b/g,
    ],
    lines: [
      /<\|(?:im_start|im_sep|system|user|assistant|tool|developer|start_header_id|begin_of_text)\|>|<(?:start|end)_of_turn>|<<\/?sys>>/g,
      /\[\/?inst\](?! (?:tag|marker|token|template)s?\b)/g,
      /<(?:system|assistant|developer|admin|important|instructions?|information|hidden|override|system[-_](?:prompt|message|note|instruction|reminder)s?)>(?! ?(?:elements?|tags?|nodes?|sections?|blocks?)\b)/g,
      /<\/(?:system|assistant|human|memory|memories|user_message|user_query|tool_result|prompt|conversation|untrusted[a-z_]{0,30})>/g,
      /^[^<]{0,300}<\/(?:user|context|document|data|fact|note|value)>/g,
      /\[(?:system|admin|developer|session|memory|retrieval|assistant|agent|prior session|previous session)[ _](?:note|message|update|instruction|override|memory|prompt|directive|command|notice|alert|policy)s?\b/g,
      /\[(?:system|admin|assistant)\](?: ?:| (?:i|you|the user|user)\b)|\[(?:system|admin|assistant) ?:/g,
      /^\W{0,3}(?:human|user|system)\s?:[^\n]{0,500}\n{1,3}\W{0,3}(?:assistant|ai)\s?:/gm,
      /^\W{0,3}(?:assistant|ai)\s?:[^\n]{0,500}\n{1,3}\W{0,3}(?:human|user|system)\s?:/gm,
      /^\W{0,3}(?:system|admin|developer|root)\s?:\s?[^\n]{0,80}?\b(?:you (?:are|must|will|should)|assistant|ignore|obey|send all|transfer|override|your)\b/gm,
      /^#{2,4} ?(?:system|instruction|assistant|human)(?: prompt| message)? ?:/gm,
      /--- ?end of (?:the )?(?:document|context|user input|data|page|text|conversation|prompt)\b/g,
    ],
    flat: phrases(String.raw`
      \b(?:begin|start|end)(?: of)? (?:system|developer|admin|hidden) (?:message|prompt|input|instructions?)\b
      \b(?:important|official|urgent) (?:message|instruction|notice|note|update) from (?:openai|anthropic|google deepmind|your (?:creator|developer|operator|admin)|the (?:system|developer|creator)s?)\b
      \b(?:attention|hey|hello|dear|note to|message (?:to|for)|memo to|notice to|important for|instructions? (?:to|for))(?: all| any| the| every| future){0,2} (?:ai|llm|language model|chatbot|assistant)s?(?: assistants?| agents?| models?| systems?)?(?: reading this| processing this)? ?[:,!](?! see)
      \bif you(?: are|'re) (?:an? |the )?(?:ai|llm|large language model|language model|artificial|chatbot)\b
      \b(?:important message from me|message from\b…\bto you, (?:the )?(?:ai|assistant|model|gpt|claude|gemini))\b
    `),
  },
  {
    name: 'imitated-tool-call',
    reason: 'It imitates a call of a tool, or what a tool returned.',
    lines: [
      /["']role["']\s{0,3}:\s{0,3}["'](?:system|assistant|tool|developer|function)["']/g,
      /["'](?:tool_calls?|function_call|tool_use(?:_id)?|tool_result|tool_call_id)["']\s{0,3}:|["']type["']\s{0,3}:\s{0,3}["'](?:tool_use|tool_result|function_call)["']/g,
      /<\/?(?:tool_(?:call|use|result|response|output|code)s?|function_(?:call|result|response)s?|invoke|antml:[a-z_]{1,30})\b/g,
      /^\W{0,3}action\s?:[^\n]{0,200}\n{1,2}\W{0,3}action input\s?:/gm,
      /["'](?:authenticated|verified|is_admin|bypass_[a-z]{2,20})["']\s{0,3}:\s{0,3}true/g,
      /\b(?:delete|modify|update|write|save|store)_memor(?:y|ies)\(/g,
    ],
    flat: phrases(String.raw`
      \bthe (?:previous|last) tool (?:call )?(?:returned|said|answered|reported)\b
      \b(?:cache|store|use|save)…as the (?:result|output|response|answer) of…\b(?:tool|function|api)\b
    `),
  },
];
