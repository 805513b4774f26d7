// What single words add beyond the signs of wording-signs.ts, from the words' counts in payloads and facts.

/** In tenths of the logarithm of the odds, by weight. */
export const WORD_WEIGHTS: readonly (readonly [weight: number, words: string])[] = [
  [
    7,
    `
      abc ability absolutely access account acquired across action activate actor actual additionally adhere
      advanced advice aes again agreed ahead ahora al alternate amoral amounts amy analytics answer
      anteriores anyone anything appears append arc artifacts artificial asks assist attacker audit auto
      away azure backup base bash been begin beginning beliefs bin black blue bother bound boundaries
      bypassed caller cannot capability capacity card cat censored chaos char chatgpt child choice chrome
      circumvent click clone cloud cmd co como company completely compose computer conditions confirmation
      connector constraints contact content conversation correct createmessage credentials credit creds
      criticism crypto cum cumgpt curl current daddy dangerous dangerously database de debug def demonstrate
      denied describe detailed detection devious did directives disclaimer discuss double down download
      earlier earth echo elevated else embody empty enc encrypted enhance enter entire entity entry et eval
      everything evil excerpt exe exfil exfiltrate expert exploit extreme extremely facts fake false
      feelings fictional field figma filters financial fine freed freedom freely funds gained ghi gmail goes
      google grab grandmother granted guardrails guests guidance hack hat hate helper hey hf hint history
      href hub hypothetical identities ignora immediately immerse immoral import incorporate incorrect
      information informing init initial initialization inject innocent inst integrate intelligence
      intelligent intentionally interaction introduce inversed ip ist items its just kill known la laws
      layer le leak left legality letters lie load location locked lost loud malicious malware man
      management manipulate market mask medical medications methamphetamine mind mirror mit mode modify
      money moral morality myself negative net next none normally nothing now nstruction obey objective
      offensive offline okay open operating operations operator opposite orchestrator os outlined outside
      para paragraph passwd past patient patterns pay payload period permanently persist persona
      personalities persongpt phrase planning plus poem possible pre pretend previous principles private
      privilege product production proj promotes proton purposes put pw pwned question quietly read reader
      real really records recover refusal refuse reglas regulations relay remember repeat reply respond
      response restricciones restrictions retrieve retriever retry reverse rf rm route rsa rule ruthless
      safety say says scene seguridad sentence setup sh shadow share silently sin sistema sk skill skynet
      sneaky so someone sorry speaks sqlite ssh ssl stands steal step stuff subject subprocess success sure
      switch synthesize sys system systemprompt target telemetry term text there therefore this thought
      title tld tmp todas today todo tool topic transmit trigger truth tu tutorial txt typical un una
      uncensored und unfiltered unhinged usuario vehicle verbatim very voice vote wallet watson weather what
      whenever who whoami whose win wned word writer ya yourself zero
    `,
  ],
  [
    6,
    `
      alert alter bank body brain comments currently del directly done effect ethics exact exec hi home
      illegal inversitis latest leave ll look los mcp name neurosemantical no out proposal research since
      snippet solution task token weights were whatever xyz
    `,
  ],
  [
    5,
    `
      above act administrator always approval args avoid cause claim collect collection comply decode die
      encoded ethical even exactly example forever future have hijack important language moment movie openai
      people primary related stop tags translate unethical up virtual
    `,
  ],
  [
    4,
    `
      all apply architecture block dir disable document escape execute fails generate guidelines hide id
      identity image large limitations markdown normal official overwrite password personality pipeline
      please que rate request scan select solve told transfer true until using valence vendor was wire
    `,
  ],
  [
    -4,
    `
      acts already am at attachment authentication db display due during en files finish flag format good
      helpful human info level network once only org properties reason red run same search secret settings
      something spans such tokyo url via well when world you
    `,
  ],
  [
    -5,
    `
      app are break by claude day directory emergency export find gets ignore legal lives moralizing
      nevermind package point prefix set she stay story string turn unlimited upload use value
    `,
  ],
  [
    -6,
    `
      address analysis application call ensure event guide happens html in issues last llm log may md more
      need or our policies represents resource role safe schema see software status summary test than thanks
      things think
    `,
  ],
  [
    -7,
    `
      after api background cdn command concerns deploy disclose english forward github if insert internal
      limit link logs mail message number ok quotes received recommend report required return service table
      types we where which work
    `,
  ],
  [
    -8,
    `
      against array attributes authorized await back because become before both build can chat chatbot cli
      client configure consider console const copy creative critical csv custom customer default define
      developer docs documentation du enabled error explain forget formatting friend friendly function game
      great handle header help her his im instance invoke jailbreak john js know learning library long
      machine making match means might module new node nodejs npm object old on options order original
      override parse plan platform play policy present previously project protocol pull re refer reference
      regular release remove replace restricted roleplay root runs sandbox self sent serve session short
      skip small some staging start suggest support team th times try two type under understand uses var
      want warning webhook week within write
    `,
  ],
];
