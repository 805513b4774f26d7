// What single words add beyond the signs of wording-signs.ts, from the words' counts in payloads and facts.

/** In tenths of the logarithm of the odds, by weight. */
export const WORD_WEIGHTS: readonly (readonly [weight: number, words: string])[] = [
  [
    7,
    `
      abc ability absolutely access account acquired across action activate actor actual additionally adhere
      advanced advice aes again agreed ahead al alert alternate amounts amy analytics answer anteriores
      anyone anything appears append arc artifacts artificial asks assist attacker audit auto away backup
      base bash been begin beginning beliefs black blue bound boundaries brain bypassed caller cannot
      capability capacity card cat censored chaos char chatgpt child choice chrome circumvent click clone
      cloud cmd co como company completely compose computer conditions connector constraints contact content
      conversation correct createmessage credentials credit creds criticism crypto cum cumgpt curl daddy
      dangerous dangerously database de debug def demonstrate denied describe detailed detection devious did
      die directives disclaimer discuss domain double down download earlier earth echo elevated else embody
      enc encrypted enhance entire entry eval everything evil excerpt exe exfil exfiltrate expert exploit
      extreme extremely facts fake false fictional field figma filters financial fine freed freely funds
      gained ghi gmail goes google grab grandmother granted guardrails guests hack hat hate helper hey hf
      hint history href hub hypothetical identities immediately immerse incorporate incorrect information
      informing init initial initialization inject innocent inst integrate intelligence intelligent
      intentionally interaction introduce inversed inversitis ip ist items its just kill known la laws layer
      le leak left legality letters lie ll load location locked los lost loud malware man management
      manipulate market mask mcp medical medications methamphetamine mind mirror modify money moral morality
      myself negative net neurosemantical next none normally nothing now nstruction obey objective offline
      okay operating operator opposite orchestrator os outlined outside para paragraph party passwd past
      patient pay payload period permanently persist persona personalities persongpt phrase plus poem
      possible pre pretend principles privilege product production proj promotes proposal proton purposes
      put pw pwned que question quietly read reader really records recover refusal refuse reglas regulations
      relay remember repeat reply respond response restricciones restrictions retrieve retriever retry
      reverse rf rm route rsa rule ruthless safety say scene seguridad sentence setup sh shadow silently sin
      since sistema sk skill skynet sneaky so solution someone sorry speaks sqlite ssh ssl stands steal step
      stuff subject subprocess success sure switch synthesize sys system systemprompt target term there
      therefore thought title tld tmp todas today todo tool topic transmit trigger truth tu tutorial txt
      typical un una uncensored und unhinged usuario vehicle verbatim very voice vote wallet watson what
      whenever who whoami whose win wire wned word writer yourself zero
    `,
  ],
  [
    6,
    `
      act alter bank bin body collection confirmation current decode del directly effect emojis empty ethics
      even exactly exec feelings forever freedom future hi import important latest mode name offensive
      operations out patterns planning portal previous private real research says share site snippet stop
      tags text this token were xyz
    `,
  ],
  [
    5,
    `
      above cause collect currently done encoded escape et ethical exact features home image immoral look
      mandatory no open openai pipeline task transfer translate unethical unfiltered up vendor weather
      weights while
    `,
  ],
  [
    4,
    `
      administrator all always apply approval args avoid block bypass claim comply confirm continue disable
      dump entity example execute external failed guidelines have hijack id language large leave les
      markdown matter moment movie normal official password please primary priority rate related request
      scan subsequent through true trust valence was year
    `,
  ],
  [
    -4,
    `
      addresses aim at change collector day db directory display during files flag forward good helpful
      ignore own properties python reason search secret set she something spans story things tokyo turn
      upload value ve web when world
    `,
  ],
  [
    -5,
    `
      after app application are attachment background break by cdn claude deploy disclose find gets happens
      level link lives mail may most number package prefix prompt report role safe self service source
      status string than thanks use via
    `,
  ],
  [
    -6,
    `
      address analysis command du event html if in insert last llm log md more nevermind or our platform
      point recommend resource run schema software summary th think week where
    `,
  ],
  [
    -7,
    `
      api english ensure finish guide issues logs machine message moralizing need new ok policies received
      reference required return see stay test warning we which work you
    `,
  ],
  [
    -8,
    `
      against array attributes authorized await back because become before both build call can chat chatbot
      cli client configure consider console const copy creative critical csv custom customer default define
      developer docs documentation enabled entities error explain forget formatting friend friendly function
      game github great handle header help her his im instance internal invoke jailbreak john js know
      learning library limit long making match means might module node nodejs npm object old on options
      order original override parse plan play policy present previously project protocol quotes re refer
      regular release remove replace restricted roleplay root runs sandbox session short skip small some
      staging start suggest support table team times try two type types under understand unlimited uses var
      want webhook within write
    `,
  ],
];
