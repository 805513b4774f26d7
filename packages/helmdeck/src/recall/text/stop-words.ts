const words = (text: string) => new Set(text.trim().split(/\s+/));

/** English stop words, dropped from values and queries that have other words. Not `may`, `will` and `us`, which are also names, nor `won`, which is also a victory. */
export const STOP_WORDS = words(`
  a an the and or but nor so if then else than that this these those there here it its it's itself he him his himself
  she her hers herself they them their theirs themselves we our ours ourselves you your yours yourself i me my mine
  myself am is are was were be been being do does did doing done have has had having can could would should shall might
  must of at by for with about against between into through during before after above below to from up down in out on
  off over under again further once as until while because how what when where which who whom why whose all any both
  each few more most other some such no not only own same too very just also ever even much many one ones s t d ll m re
  ve don doesn didn isn aren wasn weren hasn haven hadn wouldn couldn shouldn dont doesnt didnt isnt im ive youre
  theyre thats whats lets get gets got
`);

/** Generic words of questions ("what was that thing about …"); they are searched with half the weight. */
export const GENERIC_WORDS = words(`
  thing things stuff something anything everything someone mention mentioned mentions say said says tell told remember
  remembered remind recall know known knew note noted notes info information detail details related regarding
  concerning question want wanted wants need needed like called name named use used uses using kind type sort way
  please help find show give fact facts memory memories
`);
