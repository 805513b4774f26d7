// What single words add beyond the signs of wording-signs.ts: a logistic regression on payloads and on facts, commit
// messages, changelogs and documentation.

/** In tenths of the logarithm of the odds, by weight. */
export const WORD_WEIGHTS: readonly (readonly [weight: number, words: string])[] = [
  [
    11,
    `
      acceptable anyone append asks attacker black cipher cocaine dangerous debug detail detection
      discuss eval everything evil exec exploit financial gmail grant graphic href lambda letter modern
      money moral os pay payload phrase product purpose put pwn regardless reply retrieve scene shell
      site sk src stand sure system telemetry upcoming whenever whois
    `,
  ],
  [
    10,
    `
      authorization computer confirmation consumer filename garage latest past relate shadow solution
      subprocess synthesize x
    `,
  ],
  [
    9,
    `
      action answer b body corpus download e exfil google guideline moved pretend reflect sentence
    `,
  ],
  [
    8,
    `
      alert analytics anything approval bin caller conversation create decode directly entire entry
      ethical filter hint inverse known location net parent plus real rm step this thought
    `,
  ],
  [
    7,
    `
      access act c card contact contain creation de def domain empty encode encrypt exfiltrate highlight
      n normal now repair respond rule sh tmp true unrestricted variable very why yes
    `,
  ],
  [
    6,
    `
      account appear argument benefit bypass content d dan emoji etc even execute external extremely k
      led limitation mandatory mcp memories normalize out partner phone remember reverse since so today
      tool your zero
    `,
  ],
  [
    5,
    `
      assistant based click component config current description field future goal hack helper id modify
      most next nginx password persona planned proposal response safety self share shoot someone
      technique text there transfer visit were word
    `,
  ],
  [
    4,
    `
      achieve across audit bash clone credential curl cve describe display door emotional extract
      filesystem go hi hypothetical import inform initial internal just leak llm look malicious mit
      offensive review right socket ssh task union who year
    `,
  ],
  [
    3,
    `
      about always amount amy apply args as begin belief box collect cookie currently entities example
      fetch figma flow follow gone instead javascript layer light mentions night o passwd private said
      save soul substitution surrounds them trigger what
    `,
  ],
  [
    2,
    `
      all been console cover distribute down enhance ethic event forecast forever full gave grandmother
      have home information init l lookup m make operator other paragraph patch previous publish
      question record registrar request restriction rf rules second success tenant topic txt unfiltered
      urgent us username vendor weather workspace z
    `,
  ],
  [
    1,
    `
      advice al attention blue broken cannot carry context control day deal decide different direct
      directive dropped else extra first fund given important incorporate instruction introduce io it
      json language me my no none notice npx open owner param part refusal register retry role selector
      send show successful top track u unlimited up used watson weekly while wire www
    `,
  ],
  [
    -1,
    `
      age algorithm anna applies are assignment axe background backup basic be between biome blog both
      call campaign cancel cases category check ci city claim com completion complex connection delete
      design detect dynamic email embed ends english ensure exchange expression feel file friendly
      generic german gpt had hide hono hour how ids image installation issue itself japanese job jobs
      label laptop least lint logs mail master meta mime mobile must network nevermind number off
      operate ops opts page park point print prioritize process profile propose provide public pull
      python quarterly redirect reduce restore room root saturday shown sign signature specify state str
      sync t taken themselves through timeout train tuesday util vector verbatim with workflow would
    `,
  ],
  [
    -2,
    `
      addresses aggregated and any architecture async authentication author behavior channel
      configuration connect convert dashboard deprecate document env explicit explicitly few friday
      friend give host implement indicate into kubernetes like limit load longer manager manifest minute
      namespace not note or output percentile port postgresql preference promise property push reach
      read readable ready red require retries rsa run seal serve special sunday talk terminal than thank
      these throw tls unless until upgrade value via vs wait will worker
    `,
  ],
  [
    -3,
    `
      accuracy affect an ask await back below book bucket budget capabilities chatbot chunk come compare
      css dark did edit en endpoint flag folder handle include kb left let libraries list localhost long
      manage manually memory names nodes of override pass performance preferred random refer remote
      router sdk sent service setting size story studies tag take template three transform ui upload
      urls uses utility week —
    `,
  ],
  [
    -4,
    `
      acknowledge admin alone already at attach big binary boolean code codes color comment critical
      depend dependencies difference disk do docs enjoy eslint every family fast finish fixture function
      header html implementation key level ll log logger march mcpservers method modelcontextprotocol
      module monday nothing org our over payment pipeline place plain problem protocol queries rank
      react recently recommend rotate rotation runs script sequence short should spec specification stop
      strong told turn twice useful user want
    `,
  ],
  [
    -5,
    `
      a add adds analysis article best bill built calendar command consider cook destroy directory draft
      each engineer factor for gina ignore in index install interface j legal login once only operation
      optionally path previously price processes quote range remind route say schema scope standard
      store summarize surface too transport trip ts two url web when whether wiki
    `,
  ],
  [
    -6,
    `
      address ai become benchmark beside button by case cdn change const contract core extension fact
      feature form formatted french g hash http interview invoice jon kind lab machine measure melanie
      more new pages plan play please policy prefix preserve program raise raw receive reference return
      running secret see skip sql stream summary thread typescript where within
    `,
  ],
  [
    -7,
    `
      api array build close common detector don exist find format fs gateway her mean message migration
      node one optional policies search settings similar simple simply source space structure such
      suggest syntax understand update use version well which
    `,
  ],
  [
    -8,
    `
      app application browser cache changelog compatible copy count feat five if legacy mappings model
      npm on postgres refuse report still tim under way winston
    `,
  ],
  [
    -9,
    `
      accept am character could deploy expose fix forward half local package prompt properties re screen
      set warn
    `,
  ],
  [
    -10,
    `
      after andrew audrey caroline claude cli default evan jam know library maria month never pack
      reason restart start takes ticket vault
    `,
  ],
  [
    -11,
    `
      bytes calvin jolene metric nate own perform recall replace rows stay type write
    `,
  ],
  [
    -12,
    `
      dave explain help helpful his jailbreak joanna js merge need per provider sam session stage types
    `,
  ],
  [
    -13,
    `
      commit documentation git hook md same schedule server test work
    `,
  ],
  [
    -14,
    `
      attribute bundle customer days however option paper release remove
    `,
  ],
  [
    -15,
    `
      against before can chat client configure deborah eras error forget github helmdeck john link match
      may object order parse prefer project some summaries support team
    `,
  ],
];
