// What a text shows its language by: words that hardly a sentence does without, other common words, and spellings. All
// words are folded, as `foldWord` writes them.

export interface LanguageWords {
  /** Say nothing by themselves: they are left out like English stop words. Some are English words as well. */
  functionWords: string;
  /** Common words that do say something: days, months, numbers. */
  commonWords?: string;
  /** One to three letters that are usual here and rare in other languages; `_` is the end of a word. */
  spellings?: string;
  /** Letters that point to it as much as a function word does. */
  letters?: RegExp;
}

export const GERMAN: LanguageWords = {
  functionWords: `der das und ist nicht ein eine einen einem einer eines wir ich mit fur auf von zu im den dem des sich auch
    wird sind bei oder wie wer wo wann unser unsere unserer unserem unseren mein meine meinen meiner nach zum zur aus uber
    kein keine keinen werden hat haben immer nur jeden jede jeder jedes welche welcher welches welchem vom muss mussen soll
    sollen darf kann wenn dass als er sie ihr ihre ihrer uns heisst gibt liegt wurde in an am so was bis ob es du dein um
    durch gegen ohne unter vor seit ab sonst nie doch noch schon sehr sein seine wird worden warum wieso wohin woher`,
  commonWords: `montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar marz juni juli oktober dezember
    eins zwei drei vier funf sechs sieben acht neun zehn zwolf zwanzig woche tag jahr uhr neue neuer neuen`,
  spellings: 'ä ö ü ß sch ung eit ich cht tz eu ei',
  letters: /ß/,
};

export const FRENCH: LanguageWords = {
  functionWords: `le la les des du un une et est dans pour sur avec par que qui ne pas nous notre nos vous je il elle sont
    au aux ce cette ces mon ma mes ou quand comment quel quelle quels quelles chez sans se leur etre fait tous toutes
    faut doit de en son sa ses y ont ils elles on si mais plus tout toute apres avant selon doivent votre vos pourquoi`,
  commonWords: `lundi mardi mercredi jeudi vendredi samedi dimanche janvier fevrier avril juin juillet aout septembre octobre
    decembre deux trois quatre cinq sept huit neuf dix vingt semaine jour annee heure nouveau nouvelle toujours jamais`,
  spellings: 'ç è ê ë î ï ô û œ é eau oir ois eux aux es_ qu',
  letters: /[œëïû]/,
};

export const SPANISH: LanguageWords = {
  functionWords: `el la los las un una unos y es en de del que con para por se no mi mis su sus nuestro nuestra nuestros
    nuestras como cuando donde quien cual cuales esta estan son al lo le les muy todos todas cada siempre nunca hay tiene ser
    hace debe deben si o a hasta desde sin sobre tras segun pero ya porque fue era antes despues entre`,
  commonWords: `lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio agosto
    septiembre octubre noviembre diciembre dos tres cuatro cinco seis siete ocho nueve diez veinte semana dia ano hora nuevo
    nueva`,
  spellings: 'ñ ¿ ¡ ó í ú cio ad_ ll ue os_ as_ an_ ar_ er_ ir_',
  letters: /[ñ¿¡]/,
};

export const ITALIAN: LanguageWords = {
  functionWords: `il lo la gli un uno una e di del della dei delle degli dello che con per non si sono nel nella nei al alla
    ai mio mia nostro nostra nostri nostre come quando dove chi quale quali ogni sempre mai su sul sulla da dal dalla ha
    abbiamo deve devono i le a in se o ed anche piu dopo prima tra fra ma questo questa cosa ci ne era sotto secondo viene
    vengono`,
  commonWords: `lunedi martedi mercoledi giovedi venerdi sabato domenica gennaio febbraio marzo aprile maggio giugno luglio
    agosto settembre ottobre dicembre due tre quattro cinque sei sette otto nove dieci venti settimana giorno anno ora nuovo
    nuova nuove nuovi`,
  spellings: 'à è ì ò ù zio gli cch tt zz ggi a_ e_ i_ o_',
  letters: /[ìò]/,
};

export const PORTUGUESE: LanguageWords = {
  functionWords: `o os as um uma e de do da dos das em no na nos nas que com para por nao se meu minha nosso nossa nossos
    nossas como quando onde quem qual quais cada sempre nunca ao aos sao esta estao ser tem foi pelo pela deve devem a ou
    mais mas ja seu sua seus suas apos antes depois ate sem entre segundo porque era`,
  commonWords: `segunda terca quarta quartas quinta sexta sabado domingo janeiro fevereiro marco abril maio junho julho
    agosto setembro outubro novembro dezembro dois duas tres quatro cinco seis sete oito nove dez vinte semana dia ano hora
    novo nova novas novos`,
  spellings: 'ã õ ç ê nh lh oes ao_ os_ as_ am_ ar_ er_ ir_ ou_',
  letters: /[ãõ]/,
};

export const DUTCH: LanguageWords = {
  functionWords: `het een en van dat niet voor met zijn ons onze mijn wij ik je hij wordt worden naar bij ook uit wie wat
    waar wanneer welke hoe elke altijd nooit moet moeten geen deze dit aan op om maar heeft hebben kan te de in is ze zij er
    na over of als dan door tot zonder tegen onder haar hun werd was waarom anders volgens`,
  commonWords: `maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari maart juni juli augustus
    oktober twee drie vier vijf zes zeven acht negen tien twintig jaar uur nieuwe dag`,
  spellings: 'ij aa oe uu cht sch ieu ijk gen rt_ lt_ aal eel',
};

export const TURKISH: LanguageWords = {
  functionWords: `ve bir bu icin ile da de mi mu ne cok daha gibi kadar her hic nasil nerede kim hangi olan olarak var yok
    degil bizim benim sonra once ama ya biz ben nedir en su diye gore ise ancak yalnizca sadece bana bize neden kac`,
  commonWords: `pazartesi sali carsamba persembe cuma cumartesi pazar ocak subat mart nisan mayis haziran temmuz agustos
    eylul ekim kasim aralik iki uc dort bes alti yedi sekiz dokuz yirmi hafta gun yil saat yeni gunu`,
  spellings: 'ğ ş ı ö ü yor lar ler mak mek da_ de_ nda nde cak cek dir tir nca nce ra_ re_ na_ ne_ sin nin',
  letters: /[ğşıİ]/,
};

export const RUSSIAN: LanguageWords = {
  functionWords: `и в во не на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня
    о из ему что это для мы наш наша наше мои моя где когда кто какои какая какие каком при до после или`,
};

export const ARABIC: LanguageWords = {
  functionWords: `في من على الى إلى عن مع هذا هذه هو هي ما ماذا متى اين أين كيف كل أن ان لا و التي الذي كم هل لم لن قد إذا
    اذا عند بعد يوم كان`,
};

export const ENGLISH_SPELLINGS =
  'th wh sh sch ck gh ing ed_ ion ly_ ty_ er_ or_ y_ al_ te_ ge_ ce_ ve_ se_ le_ ne_ re_ de_ me_ ke_ pe_ w k q ea ou oo ee';
