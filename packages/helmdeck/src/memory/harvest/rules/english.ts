import type { HarvestRule } from './rule.ts';

const WE = "(?:we|i|they|the team|our team|team|everyone|management)(?:'ve| have|'re| are|'d| had)?";
const ADVERBS =
  '(?: (?:all|now|finally|just|also|already|officially|recently|eventually|both|together|internally|mostly|only|currently|still|have))*';
const WHEN =
  '(?:by|before|until|till|tomorrow|tonight|this (?:week|weekend|month|afternoon|evening)|next (?:week|month|year|sprint|quarter)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tues|wednes|thurs|fri|satur|sun)day|by the end|at the end of|in (?:january|february|march|april|may|june|july|august|september|october|november|december))';
const OUR =
  '(?:our|my|his|her|their|its|the|this|that|these|all|all our|all of our|every|each|most|both|both of our|nobody|no one|everyone|everything)';
/** "From v5 on, …", "In production, …" */
const OCCASION = '(?:(?:from|since|as of|in|for|on|at|during|after|until|with|per) [^,]{1,40}, )?';
const IS =
  "(?:is|are|has|have|had|runs?|lives?|uses?|needs?|requires?|goes?|go|belongs?|owns?|handles?|contains?|expects?|supports?|deploys?|ships?|listens?|points?|starts?|ends?|begins?|lasts?|costs?|covers?|reports?|sits?|resides?|comes?|speaks?|talks?|connects?|depends?|consists?|includes?|holds?|stores?|keeps?|serves?|hosts?|manages?|leads?|maintains?|approves?|approved|reviews?|signs?|happens?|takes?|expires?|renews?|changes?|rotates?|meets?|opens?|closes?|accepts?|allows?|writes?|reads?|syncs?|builds?|triggers?|means|stands for|works?|closed|leaves?|arrives?|departs?|moves?|sends?|gets?|gives?|offers?|pays?|sells?|follows?|weighs?|likes?|prefers?|exposes?|publishes|consumes?|emits?|polls?|forwards?|generates?|produces?|encrypts?|validates?|authenticates?|bills?|charges?|provides?|owes?|teaches|studies|stays?|falls?|counts?|protects?|measures?|replaces?|feeds?|queries|imports?|exports?|must|may only|can only|cannot|can't)";

/** How statements worth remembering are said in English, strongest first: the first rule that matches names the statement. */
export const ENGLISH_RULES: readonly HarvestRule[] = [
  {
    name: 'asked_to_remember',
    category: 'facts',
    confidence: 0.95,
    reason: 'The person asks to remember it.',
    patterns: [
      /\b(?:please |also )?(?:remember|keep in mind|bear in mind|don't forget|make a note|take note|note)(?: that\b|:|,)/,
      /^for the record\b/,
      /^(?:remember|note): /,
      /^(?:fyi|important|heads[- ]up)[:,] /,
    ],
  },
  {
    name: 'reminder',
    category: 'commitments',
    confidence: 0.9,
    reason: 'The person asks to be reminded.',
    patterns: [/\bremind me (?:to|about|of|that|on|in)\b/, /^don't let me forget\b/],
  },
  {
    name: 'decision',
    category: 'decisions',
    confidence: 0.9,
    reason: 'It says that something was decided.',
    patterns: [
      new RegExp(
        `\\b${WE}${ADVERBS} (?:decided|agreed|settled (?:on|for)|chose|chosen|picked|opted|dropped|ditched|standardi[sz]ed|adopted|migrated|switched|retired|deprecated|replaced|abandoned|rejected|postponed|ruled out|signed off|concluded|scrapped|killed|moved (?:to|away|from|off|everything)|went (?:with|for|back to)|ended up (?:with|using|choosing)|landed on|signed (?:with|up)|said (?:yes|no) to)\\b`,
      ),
      /\band (?:we |i )?(?:finally |then )?(?:decided|agreed|settled on|chose|opted)\b/,
      /\b(?:final |our |the )?decision(?: is| was)?(?::| to\b| made)/,
      /^decisions? (?:from|of|in|at) .{2,60}: /,
      /^(?:it's|it is|that's) (?:decided|settled|final|official)\b/,
      /\b(?:the|our|final) (?:plan|decision|idea|agreement|consensus|verdict|conclusion|outcome|result of the (?:vote|meeting)|bottom line) (?:is|was)(?: to| that|:|,)/,
      /\bwe're (?:going with|going to (?:use|go|keep|drop|move|switch|stick|support)|not going to|moving|switching|migrating|dropping|adopting|keeping|standardi[sz]ing|sticking|staying|replacing|retiring|sunsetting|freezing|phasing|postponing|skipping|rolling out|betting)\b/,
      /\bwe are (?:going with|going to (?:use|go|keep|drop|move|switch|stick|support)|not going to|moving|switching|migrating|dropping|adopting|keeping|standardi[sz]ing|sticking|staying|replacing|retiring|phasing|postponing|skipping)\b/,
      /\bwe(?:'ll| will| won't| shall)(?: all| now| just)? (?:use|go with|go for|keep|stick|switch|drop|adopt|move|migrate|stay|not|support|do|skip|postpone|start with|build|release|ship|freeze|merge|host|rewrite|replace|have)\b/,
      /^(?:we|i) (?:keep|go with|stick with|stay (?:with|on)|drop|skip) /,
      /\bit(?:'ll| will) be .{2,60} (?:then|instead)\b/,
      /\bgoing forward,? we\b/,
      /^[\p{L}\p{N} .+#-]{2,40} it is(?: then| for now)?[.!]*$/u,
    ],
  },
  {
    name: 'lets_decide',
    category: 'decisions',
    confidence: 0.8,
    reason: '"Let\'s" with a choice settles a question for the time after.',
    patterns: [
      /\blet's (?:all |just |definitely |finally |please )?(?:go with|go for|use|switch|stick|adopt|drop|standardi[sz]e|settle|pick|choose|postpone|not |never|always|stay with|move (?:to|everything|the .{2,40} to)|keep|call (?:it|the|this|them)|skip|host|build (?:it|this|the .{2,30}) (?:in|on|with)|agree|ban|deprecate|retire|target|aim|schedule|plan|release|ship)\b/,
      /\b(?:i|we) (?:have made up (?:my|our) minds?|made up (?:my|our) minds?)\b/,
      /^(?:go|going) with [a-z0-9]/,
    ],
  },
  {
    name: 'contradiction',
    category: 'corrections',
    confidence: 0.85,
    reason: 'It corrects what was said before.',
    patterns: [
      new RegExp(
        `^(?:no+|nope|nah|wrong|not quite|not exactly|not really|incorrect|false|negative)\\b[,.:;!–— -]+(?!i meant|undo|thanks|thank|problem|worries|need|idea|wait|stop|don't|do not|not |please|just |leave|keep|that was|that's fine|it's fine)(?:[\\p{L}\\p{N}'./_-]+ ){1,6}?(?:it's|that's|they're|was|were|called|named|we|left|should be|needs? to be|deploys?|${IS.slice(3, -1)})\\b`,
        'u',
      ),
      /^(?:no+|nope|nah|wrong|incorrect)\b[,.:;!–— -]+(?:it's|that's|they're|she's|he's|i'm|we're|we|i) (?!meant|fine|ok|good|not sure)\S+ \S+/,
      /\b(?:that's|that is|this is|you're|you are|it's|your .{2,30} is) (?:wrong|incorrect|not (?:right|correct|true|accurate|quite right)|mistaken|outdated|out of date)\b.*[,:;–—-].*\b(?:is|are|we|it's|uses?|called|has|have|the|in|on|since)\b/,
      /^(?:actually|correction|small correction|sorry|my mistake|my bad|i misspoke|to be precise|to clarify)\b[:,]?.*\b(?:is|are|was|we|it's|uses?|runs?|called|lives?|has|have|not|i'm)\b/,
      /\bi misspoke\b/,
      /\b(?:wrong|mistaken|incorrect|misspelled|mixed up|confused)\b.{0,30}[,:;–—-] ?(?:it's|it is|the|we|that's|he's|she's|they're|my|our)\b/,
      /^(?:i|you) (?:meant|mean) .{2,60}, not \S+/,
      /^(?:wrong|not that|other) .{2,40}[,:;] (?:it|we|use|the)\b/,
    ],
  },
  {
    name: 'not_but',
    category: 'corrections',
    confidence: 0.75,
    reason: 'It says what holds and what does not.',
    patterns: [
      /^(?:it's|it is|they're|that's|he's|she's|we're) .{1,80}(?:,| and| –| -)? not (?:at |in |on |to |the |a |an |from |with )?\S+/,
      /\b(?:we|our|the|it|this|that|they|i|all|[a-z]+s?)\b .{0,60}\b(?:is|are|use|uses|go|goes|live|lives|run|runs|deploy|deploys|call|calls|say|spell|has|have|happens?|starts?|ends?)\b.{1,80}, not (?:at |in |on |to |the |a |an |from |with |via |through )?\S+/,
      /\bit's (?:spelled|spelt|called|pronounced|named|written)\b/,
      /^(?:we|i|they) call (?:it|that|this|them|those) \S+/,
      /^(?:it|this|that) (?:has to|should|must|needs to) be .{2,60}(?:, not|instead of|rather than|\d)/,
      /\bnot .{2,40} but (?!not)\S+/,
    ],
  },
  {
    name: 'no_longer',
    category: 'corrections',
    confidence: 0.8,
    reason: 'Something that held before no longer does.',
    patterns: [
      /\b(?:we|i|our|the|my|it|they|this)\b.{0,60}\b(?:no longer|don't .{2,60} any ?more|doesn't .{2,60} any ?more|isn't .{2,60} any ?more|aren't .{2,60} any ?more|not .{2,60} any ?more|used to .{2,60} (?:but|now))\b/,
    ],
  },
  {
    name: 'deadline',
    category: 'commitments',
    confidence: 0.85,
    reason: 'It has a date to keep.',
    patterns: [
      /\b(?:deadline|due date|launch date|release date|go-live|launch|cut-?off|code freeze|feature freeze|submission|delivery date|kick-?off|exam|wedding|appointment)\b.{0,60}\b(?:is|was moved|moved|starts|will be|are|falls)\b.{0,40}(?:\d|day\b|tomorrow|week|month|january|february|march|april|may|june|july|august|september|october|november|december|noon)/,
      /\b(?:is|are) due (?:one|two|three|four|on|by|in|before|next|this|tomorrow|at|mon|tue|wed|thu|fri|sat|sun|\d)/,
    ],
  },
  {
    name: 'promise',
    category: 'commitments',
    confidence: 0.8,
    reason: 'It promises something by a given time.',
    patterns: [
      /\b(?:i|we)(?:'ve| have)? (?:promised|committed to|owe|pledged|guaranteed|told .{2,30} (?:i|we)(?:'d|'ll| would| will))\b/,
      new RegExp(
        `\\b(?:i'll|i will|we'll|we will|i'm going to|i am going to|we're going to|i'm gonna|i have to|i've got to|we have to|i need to|we need to|i must|we must|i should|i plan to|i intend to|i am meeting|i'm meeting|i'm supposed to)\\b.{2,160}\\b${WHEN}\\b`,
      ),
      new RegExp(
        `\\b(?:he|she|they|\\p{L}{2,20})(?:'ll| will) (?!be able|always|never|not|have to|need)\\p{L}{3,}.{0,120}\\b${WHEN}\\b`,
        'u',
      ),
    ],
  },
  {
    name: 'standing_instruction',
    category: 'preferences',
    confidence: 0.9,
    reason: 'It says how to work from now on, not what to do once.',
    patterns: [
      /\b(?:from now on|from here on|going forward|in (?:the )?future|henceforth|as a rule|by default|by convention|as a general rule|rule of thumb|house rule|our rule|ground rule)\b/,
      /^(?:please |you should |you must |i want you to |can you please |could you please |can you |could you |i'd like you to )?(?:always|never|never ever|don't ever|do not ever)\b/,
      /\b(?:must|should|shall|may) (?:always|never)\b/,
      /[,:;–—] (?:please )?(?:always|never|don't ever) \p{L}+/u,
      /\b(?:don't|do not|stop) .{2,120}\b(?:ever|again|anymore|any more|unless i (?:ask|say|tell)|without (?:asking|my|telling|permission|approval))\b/,
      /^(?:please |can you please |could you please |can you |could you )?(?:stop|quit|refrain from|avoid|no more) \p{L}+ing\b/u,
      /^(?:please )?avoid (?!this|that|it\b)\p{L}+/u,
      /^(?:whenever|every time|each time|any time|anytime|when|if|before|after|unless|once) (?:you|i|we|there|something|a|an|it)\b.{2,120}(?:,| then) (?:please |you |always |never )*(?!i |we |it |the |there )\p{L}+/u,
      /^(?:please )?(?:ask|check|confirm|tell|warn|run|test|verify|wait).{0,80}\b(?:before (?:you|every|each|any|making|touching|deleting|running|pushing|committing|merging|changing|claiming)|every time|each time|whenever)\b/,
      /\b(?:i (?:want|need|expect|would like)|i'd like) (?:everything|shorter |longer |fewer |more |less |smaller |simpler |plain |no |only |at least|at most|you to (?:always|never|ask|keep|use|write|answer|be|check|avoid|stop|not|call|explain|run|format|treat|include)|all|every|code|your|the (?:answers|replies|code|commits|tests|docs)|short|answers|replies|examples)\b/,
      /^(?:please )?(?:be|stay) (?:more |less )?(?:brief|concise|direct|terse|honest|blunt|polite|formal|informal|careful|specific|critical|verbose|consistent)\b/,
      /^(?:please )?(?:keep|make) (?:your|all|the|every|each|any|my|our|commit|pull|prs?|functions|files|methods|answers|responses|replies|explanations|summaries|tests|lines|sentences|messages|meetings|it|things) .{0,80}\b(?:short|brief|concise|small|simple|minimal|under|below|less than|at most|to a minimum|lowercase|free|separate|informal|formal|english|plain|up to date|alphabetical)/,
      /^(?:please )?(?:answer|reply|respond|speak|talk|write|explain)(?: to me| everything| back| all .{2,30}| your .{2,20})? in (?!this|that|the file|a file)\S+/,
      /^(?:please )?(?:call|address) me\b/,
      /^(?:please )?(?:make sure|ensure|be sure|see to it|double-check)\b.{0,60}\b(?:every|each|all|any|always|never|no)\b/,
      /^(?:please )?(?:stick to|adhere to|respect|honou?r|follow|reuse|mirror|match) (?:the|our|my|existing|all) .{0,40}\b(?:structure|style|convention|conventions|guide|guidelines|naming|pattern|patterns|rules|standard|standards|layout|format|spec|template|practice|practices|order|tone|voice)\b/,
      /^(?:every|each|all|any) [\p{L}\p{N} -]{2,50} (?:needs?|must|has to|have to|should|gets?|requires?|shall)\b/u,
      /^(?:please )?(?:skip|leave out|omit|drop) (?:the|any|all) .{0,30}\b(?:summary|summaries|intro|introductions?|recap|preamble|apologies|disclaimers?|pleasantries|boilerplate)\b/,
      /^no \p{L}+(?: \p{L}+){0,4},? (?:please|ever|in (?:code|commits|commit messages|docs|emails|replies|answers|the codebase))\b/u,
    ],
  },
  {
    name: 'how_to_work',
    category: 'preferences',
    confidence: 0.7,
    reason: 'A general instruction about tools or style, with no single place that it is meant for.',
    patterns: [
      /^(?:please )?(?:only )?(?:use|prefer|write|name|format|indent|put|store|place|add|document|group|sort|test|commit|log|wrap|spell|sign|deploy|target|stick to|follow) .{2,120}(?:\b(?:in all|for all|for every|in every|for each|for any|everywhere|throughout|across the|in this (?:project|repo|repository|codebase)|for (?:tests|testing|commits|docs|new|production|local|logging|dates|times|money|strings|ids|configuration|names|variables|branches|migrations|styling|everything|anything)|in (?:tests|docs|commits|commit messages|code|comments|emails|replies|the docs|ui text|our docs|prose)|as (?:the|a|our) (?:default|prefix|rule)|at all times|where(?:ver)? possible|unless)\b|, not |, never )/,
      /^(?:please )?(?:use|prefer) (?!(?:the|this|that|it|these|those)\b).{2,60}\b(?:instead of|over|rather than)\b/,
      /^(?:please )?(?:don't|do not) (?!worry|panic|forget|know|think|understand|get me wrong|mind|move|wait|go|commit this|push (?:this|that|it|yet)|hesitate)\p{L}+\b(?! (?:this|that|it|these|those|him|her|anything else|me again|the (?:file|test|function|line|last|first|second))\b)(?!.*\byet\b).{6,}/u,
      /\b(?:in|for|on) (?:this|our|the|my) (?:project|repo|repository|codebase|team|company|code|service|house),? (?:we|i|you|everything|all|please|always|use|there)\b/,
      /^(?:only|exclusively) \p{L}+.{2,80}/u,
      /^[\p{L} ]{2,30} for [\p{L} ]{2,30}(?:,| and) [\p{L} ]{2,30} for [\p{L} ]{2,30}[.!]*$/u,
      /\bi can't (?:work|deal|live|read|cope|focus)(?: with| without)? .{3,}/,
      /\b(?:is|are) (?:a must|mandatory|forbidden|not allowed|banned|taboo|off limits|required|optional here|a no-go|non-negotiable)\b/,
      /^(?!the |this |that |it |you |i |we |he |she |they |there )\p{L}+(?: \p{L}+){0,3} (?:should|must|has to|have to|needs? to|ought to) (?:be|have|start|end|go|use|live|follow|contain|include|stay|not|pass|come|fit|match|carry)\b/u,
    ],
  },
  {
    name: 'preference',
    category: 'preferences',
    confidence: 0.9,
    reason: 'The person says what they like or dislike.',
    isPersonal: true,
    patterns: [
      /\b(?:i|we)(?: really| much| generally| strongly| also| personally| usually| always| would| do|'d)* (?:prefer|favou?r)\b/,
      /\b(?:i'd|i would|we'd) (?:much |always )?rather\b/,
      /\b(?:my|our) (?:favou?rite|preferred|go-to|usual|default) \p{L}+/u,
      /\bi(?:'m| am) (?:not )?(?:a (?:big |huge )?fan of|into|fond of|keen on|used to \p{L}+ing|more of an?|an? .{2,20} person|comfortable with)\b/u,
      /\bi(?: really| absolutely| just| simply| personally| also)* (?:hate|dislike|loathe|detest|can't stand|cannot stand|don't like|do not like|don't enjoy|don't want|despise|can't bear)\b(?! (?:it(?! when\b)|this|that|to (?:be|say|bother|interrupt|break|wait))\b)/,
      /\bi(?: really| also| quite| particularly| do)* (?:like|love|enjoy|appreciate|adore)\b(?! (?:it|this|that|how|where|what|your|the (?:idea|way|look|new)|waiting|to (?:see|know|hear))\b)/,
      /\b(?:i|we)(?: almost| nearly)? (?:always|never|usually|normally|typically|generally|mostly|tend to|rarely|only ever|only) (?!seen?\b|heard\b|had\b|been\b|thought\b|wanted\b|said\b|asked\b|got\b)\p{L}+/u,
      /\bi (?:find|think) .{2,60} (?:easier|harder|more readable|annoying|distracting|clearer|confusing|too verbose)\b/,
      /\bworks? best for me\b/,
      /\b(?:drives? me (?:crazy|mad|nuts)|(?:is|are) my (?:pet peeve|favou?rite|preference|thing)|(?:is|are) not for me)\b/,
    ],
  },
  {
    name: 'about_the_person',
    category: 'facts',
    confidence: 0.9,
    reason: 'The person says something lasting about themselves or their family.',
    isPersonal: true,
    patterns: [
      /\bmy (?:full |first |last |nick)?names?(?:'s| is| are)\b/,
      /\bi(?:'m| am) (?:called|named|based|born|from|living|married|divorced|single|vegan|vegetarian|pescatarian|allergic|intolerant|lactose|diabetic|celiac|coeliac|asthmatic|pregnant|left-handed|right-handed|colou?r-?blind|dyslexic|deaf|blind|retired|self-employed|freelance|unemployed|\d{1,3}(?: years old|$|[.,])|(?:currently )?(?:studying|working (?:as|at|for|in|from|remotely|part[- ]time)|learning|training for|responsible for|in charge of|on (?:the .{2,30} team|parental|sick|a diet)))/,
      /\bi(?:'m| am) (?:an?|the) (?!bit\b|little\b|lot\b|few\b|fan\b|big fan\b|idiot\b|moron\b|fool\b)(?:\p{L}+[- ]){0,4}\p{L}*(?:er|or|ist|ian|ect|yst|eur|ant|ent|cto|ceo|cfo|vp|pm|sre|dba|lead|head|chief|mother|father|dad|mom|parent|nurse|vegan|vegetarian|native|runner|beginner|founder|novice|freelancer|teacher|student|doctor|admin|dev|manager|intern|citizen|chef|pilot)\b/u,
      /\bi (?:work|live|reside|study|teach|grew up|was born|speak|own|drive|manage|lead|run|moved (?:to|from|here|in)|commute|play|sing|volunteer|graduated|majored|maintain|sleep|wake up|go to bed|wear|take)\b(?! (?:on|through|with) (?:this|that|it)\b)/,
      /\bi (?:don't|do not|can't|cannot|never) (?:eat|drink|smoke|drive|speak|own|use|have a|work|sleep|take|tolerate|swim|fly|read)\b/,
      /\bi have (?:an? |two |three |four |five |\d+ |no )(?!question|problem|issue|bug|idea|doubt|hunch|feeling|error|meeting|call\b|few|lot|look|look\b|clue|hard time|suspicion|favou?r|request|thought|suggestion|task|file|function|class|list|failing|test|script|weird|strange|quick|couple of questions|choice)\p{L}+/u,
      /\b(?:my|our) (?:wife|husband|partner|girlfriend|boyfriend|son|daughter|kids?|children|mother|father|mom|mum|dad|brother|sister|dog|cat|parents|family|boss|manager|team|company|employer|colleague|assistant|doctor|dentist|landlord|birthday|anniversary|phone number|address|shoe size|size|blood type|height|weight|diet|time ?zone|native language|mother tongue|car|bike|laptop|machine|office|hometown|salary|budget|insurance|flight|email|job|role|title|background|setup|working hours|handle|username|nickname|pronouns|passport|pension|school|university|company's|team's)\b.{0,40}(?:\b(?:is|are|was|has|have|lives?|works?|turns?|goes|likes?|loves?|hates?|starts?|uses?|runs?|expires?|needs?|can't|doesn't|speaks?)\b|'s name\b)/,
      /\bi(?:'ve| have) (?:(?:recently |just )?(?:switched to|moved to|bought|started (?:using|learning)|adopted|got an?|joined|changed jobs?)|been (?:\p{L}+ing|a|an|with|at|in)\b.{2,60}(?:for|since)|(?:got )?(?:two|three|four|\d+) (?:kids|children|dogs|cats|years)|used .{2,40} (?:for|since)|worked|lived|never (?:used|learned|learnt|worked))\b/u,
    ],
  },
  {
    name: 'how_we_work',
    category: 'facts',
    confidence: 0.8,
    reason: 'It says what a team uses or does.',
    patterns: [
      /\b(?:we're|we are|i'm|i am) (?:all )?(?:still )?on (?!it\b|the (?:same|right|wrong|case|way|phone|line|fence|branch)|my way|a call|it|track|line|holiday|board|fire|this)\p{L}+/u,
      /\b(?:you can|people can|they can|can be) (?:reach|reached|find|found|contact|contacted|call|called)\b.{2,60}\b(?:at|on|in|under|via|through|by)\b/,
      /\b(?:got|was|were|has been|have been|will be) (?:replaced|renamed|migrated|split|acquired|retired|deprecated|shut down|switched off|upgraded|decommissioned|moved to|merged into|rewritten|sunset)\b/,
      /\bwe(?:'re| are) (?:an? (?!bit|little|lot|few|mess|step)|the |two |three |four |five |six |\d+ |about \d+|based|located|hosted|on (?:aws|gcp|azure|premises|kubernetes|prem)|using|running|still (?:on|using)|currently (?:on|using))/,
      /\bwe (?:don't|do not|never|can't|cannot|no longer|aren't allowed to|must not|may not) (?:use|do|have|support|allow|accept|deploy|ship|release|host|store|keep|log|write|work|sell|charge|test|run|merge|push|hire|offer|track|need|require|want|share|commit)\b(?! (?:this|that|it|to (?:do|wait|change|worry)|a (?:choice|clue|lot))\b)/,
      /\b(?:we|our team|the team|our company|i)(?: all| both| currently| mainly| mostly| also| only| still| now| already| internally| usually| do)* (?:use|run|host|deploy|store|keep|support|target|follow|release|ship|build with|build on|work (?:in|with|on|from|remotely)|indent|name (?:our|all|every|branches|files)|log (?:to|in)|test with|track|pay|charge|sell|serve|maintain|require|rely on|depend on|write (?:our|all|everything|tests|docs|commits)|do (?:code reviews|releases|deployments|standups|trunk|scrum|kanban)|meet|bill|back ?up|monitor|manage|generate|publish|license|cache|encrypt|authenticate|communicate|squash|rebase|merge|pin|lint|format|rotate|booked|signed|hired|bought|rented|subscribed)\b(?! (?:this|that|it|out of)\b)/,
      /\bwe(?: currently| only| now| also)? (?:have|own|got|employ) (?:an? |two |three |four |five |six |\d+ |no |about |around |roughly |over |the )(?!open|failing|broken|pending|remaining|more|minutes|hours|days left|question|problem|issue|bug|idea|doubt|few|lot|look|failing|choice|chance|meeting)\p{L}*/u,
      /\b(?:owner|maintainer|contact|point person|lead|manager|admin|reviewer|approver|person|expert)(?: of| for| on| responsible for)? .{1,40} is \p{L}+/u,
      /\b\p{L}{2,20} (?:owns|maintains|leads|manages|reviews|approves|is responsible for|is in charge of|takes care of|is the (?:owner|contact|lead|maintainer|manager|product owner|tech lead)|is our|covers for|signs off|is on (?:leave|vacation|holiday|parental leave|sabbatical))\b/u,
    ],
  },
  {
    name: 'change_of_people',
    category: 'facts',
    confidence: 0.7,
    reason: 'Who joined, left or took over changes whom to ask.',
    needsDetail: true,
    patterns: [
      /^(?!it|this|that|there|you|which|what|who|i|we|they|nobody|nothing|something|everything|the (?:test|build|server|job|script|page|app))(?:the )?\p{L}{2,20}(?: \p{L}{2,20})? (?:left|joined|quit|resigned|retired|took over|replaced|became|got promoted|was promoted|was hired|passed away|got married|moved (?:to|from|into|teams)|started (?:at|as|in)|switched (?:to|teams)|handed over|approved|signed|graduated)\b/u,
    ],
  },
  {
    name: 'assignment',
    category: 'commitments',
    confidence: 0.65,
    reason: 'It says who will do something.',
    needsDetail: true,
    patterns: [
      /^(?!it|this|that|there|you|which|what|who|i|we|they|nobody|nothing|something|everything)\p{L}{2,20}(?: and \p{L}{2,20})?(?:'s going to| is going to|'ll| will) (?!be able|always|never|not|have to|need|probably|likely|break|fail|work|be (?:a|fine|ok|great|nice|hard|slow|good|better))\p{L}{3,}/u,
    ],
  },
  {
    name: 'statement',
    category: 'facts',
    confidence: 0.6,
    reason: 'A plain statement in the present tense that names something specific.',
    needsDetail: true,
    patterns: [
      new RegExp(
        `^${OCCASION}${OUR} (?:[\\p{L}\\p{N}'./_-]+ ){1,7}?${IS}\\b(?<!\\b(?:is|are|has|have)(?= (?:not )?(?:to (?!be\\b)|been|being|going\\b)))`,
        'u',
      ),
      new RegExp(
        `^${OCCASION}(?!it|this|that|there|you|he|she|they|i|we|what|which|who|something|nothing|someone|here|everything)(?:[\\p{L}\\p{N}'./_-]+ ){1,4}?${IS}\\b(?<!\\b(?:is|are|has|have)(?= (?:not )?(?:to (?!be\\b)|been|being|going\\b)))`,
        'u',
      ),
      /^(?:everything|all of (?:it|them)|everyone|nobody|no one) .{2,80}\b(?:is|are|has|goes|runs|lives|uses|gets|works)\b/,
    ],
  },
  {
    name: 'where_things_are',
    category: 'facts',
    confidence: 0.6,
    reason: 'It says where something belongs.',
    patterns: [
      /^(?!it|this|that|there|you|he|she|they|i|we|what|which|who|here|put|let)(?:[\p{L}\p{N}'./_-]+ ){1,4}?(?:go|goes|live|lives|belong|belongs|sit|sits|are kept|is kept|are stored|is stored|are documented|is documented) (?:next|in|into|under|on|to|at|beside|with|inside|below)\b/u,
    ],
  },
  {
    name: 'label',
    category: 'facts',
    confidence: 0.55,
    reason: 'A name, a colon and a value is how people note facts.',
    needsDetail: true,
    patterns: [
      /^(?!my|your|ok|the plan|plan|code|error|errors|note|todo|example|question|edit|ps|update|warning|result|output|uncaught|typeerror|exception|caused|traceback|step|option|task|bug|issue|problem|input|expected|actual|context|http|https|file|line|usage|fatal|here|this|the error|the output|also|so|first|second|idea|title|subject|from|to|re|steps)[\p{L}][\p{L} -]{2,40}: (?!\/\/).{3,120}$/u,
    ],
  },
  {
    name: 'plain_statement',
    category: 'facts',
    confidence: 0.5,
    reason:
      'It names something specific about the person, the team or what they work on, and is no request or report.',
    needsDetail: true,
    patterns: [
      /^(?:our|my|all our|all of our|most of our|we|for \p{L}+,? we|in \p{L}+,? we|both of us|us) (?!(?:need|want|have|should|can|could|might|will|would|must|got|did|saw|tried|had|were|was|think|guess|know|see|found|ran|lost|just|also|still|already|are|'re)\b)(?:[\p{L}\p{N}'./_-]+ ){2,}/u,
      /^\p{L}+s (?:without|with|for|from|over|under|below|above|of|in|on) (?:[\p{L}\p{N}'./_-]+ ){1,5}(?:are|get|go|must|need|have|run|live|expire|belong|cost|take|close|count)\b/u,
    ],
  },
];
