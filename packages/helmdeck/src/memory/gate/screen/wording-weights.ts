// What single words add beyond the signs of wording-signs.ts: a logistic regression on payloads and on facts, commit
// messages, changelogs and documentation. Without names, products, single letters and words of code, which say nothing
// about an order, and with no word above the weight of a clear sign.

/** In tenths of the logarithm of the odds, by weight. */
export const WORD_WEIGHTS: readonly (readonly [weight: number, words: string])[] = [
  [
    8,
    `
      acceptable action alert analytics answer anyone anything append approval asks attacker
      authorization caller cipher computer confirmation consumer conversation corpus create dangerous
      debug decode detail detection directly discuss download entire entry ethical eval everything evil
      exec exfil exploit filter financial gmail google grant graphic guideline hint inverse known
      location money moved pay payload phrase plus pretend product purpose put pwn real reflect
      regardless relate reply retrieve shadow shell site stand step subprocess sure synthesize system
      telemetry this thought upcoming whenever whois
    `,
  ],
  [
    7,
    `
      access act card contact contain creation de def domain empty encode encrypt exfiltrate highlight
      normal now repair respond rule true unrestricted variable very why yes
    `,
  ],
  [
    6,
    `
      account appear argument benefit bypass content dan emoji etc even execute external extremely led
      limitation mandatory mcp memories normalize out partner phone remember reverse since so today tool
      your zero
    `,
  ],
  [
    5,
    `
      assistant based click component config current description field future goal hack helper id modify
      most next password persona planned proposal response safety self share shoot someone technique
      text there transfer were word
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
      about always amount apply as begin belief box collect cookie currently entities example fetch flow
      follow gone instead javascript layer light mentions night passwd private said save soul
      substitution surrounds them trigger what
    `,
  ],
  [
    2,
    `
      all been console cover distribute down enhance ethic event forecast forever full gave have home
      information init lookup make operator other paragraph patch previous publish question record
      registrar request restriction rf rules second success tenant topic txt unfiltered urgent us
      username vendor weather workspace
    `,
  ],
  [
    1,
    `
      advice al attention blue broken cannot carry context control day deal decide different direct
      directive dropped else extra first fund given important incorporate instruction introduce io it
      json language me my no none notice npx open owner param part refusal register retry role selector
      send show successful top track unlimited up used weekly while wire www
    `,
  ],
  [
    -1,
    `
      age algorithm applies are assignment axe background backup basic be between blog both call
      campaign cancel cases category check ci city claim com completion complex connection delete design
      detect dynamic email embed ends english ensure exchange expression feel file friendly generic
      german had hide hour how ids image installation issue itself job jobs label laptop least lint logs
      mail master meta mime mobile must network nevermind number off operate ops opts page park point
      print prioritize process profile propose provide public pull python quarterly redirect reduce
      restore room root shown sign signature specify state str sync taken themselves through timeout
      train util vector verbatim with workflow would
    `,
  ],
  [
    -2,
    `
      addresses aggregated and any architecture async authentication author behavior channel
      configuration connect convert dashboard deprecate document env explicit explicitly few friend give
      host implement indicate into like limit load longer manager manifest minute namespace not note or
      output percentile port preference promise property push reach read readable ready red require
      retries rsa run seal serve special talk terminal than thank these throw tls unless until upgrade
      value via wait will worker
    `,
  ],
  [
    -3,
    `
      accuracy affect an ask await back below book bucket budget capabilities chatbot chunk come compare
      css dark did edit en endpoint flag folder handle include kb left let libraries list localhost long
      manage manually memory names nodes of override pass performance preferred random refer remote
      router sdk sent service setting size story studies tag take template three transform ui upload
      urls uses utility week
    `,
  ],
  [
    -4,
    `
      acknowledge admin alone already at attach big binary boolean code codes color comment critical
      depend dependencies difference disk do docs enjoy every family fast finish fixture function header
      html implementation key level ll log logger mcpservers method modelcontextprotocol module nothing
      org our over payment pipeline place plain problem protocol queries rank recently recommend rotate
      rotation runs script sequence short should spec specification stop strong told turn twice useful
      user want
    `,
  ],
  [
    -5,
    `
      add adds analysis article best bill built calendar command consider cook destroy directory draft
      each engineer factor for ignore in index install interface legal login once only operation
      optionally path previously price processes quote range remind route say schema scope standard
      store summarize surface too transport trip two url web when whether wiki
    `,
  ],
  [
    -6,
    `
      address ai become benchmark beside button by case cdn change const contract core extension fact
      feature form formatted french hash http interview invoice kind lab machine measure more new pages
      plan play please policy prefix preserve program raise raw receive reference return running secret
      see skip sql stream summary thread typescript where within
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
      on refuse report still under way
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
      after cli default know library month never pack reason restart start takes ticket vault
    `,
  ],
  [
    -11,
    `
      bytes metric own perform recall replace rows stay type write
    `,
  ],
  [
    -12,
    `
      explain help helpful his jailbreak merge need per provider session stage types
    `,
  ],
  [
    -13,
    `
      commit documentation git hook same schedule server test work
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
      against before can chat client configure eras error forget link match may object order parse
      prefer project some summaries support team
    `,
  ],
];
