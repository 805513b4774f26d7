import { stem } from '../text/stem.ts';

/**
 * Words that are in prompts of every kind. A fact that shares nothing else with a prompt is not what it is about; they
 * count only in a question about the person's own things.
 */
const WORDS = `
  able account across act actual add again ahead allow almost alone already always amount answer apart appear apply
  area around ask away back bad base basic because become begin behind believe best better big bit black blue board
  body book both bottom box break bring broken build button buy call care carry case catch cause chance change chapter
  character check choose city class clean clear click close code cold color colour column come common complete compare
  consider contain continue control copy correct cost count country course create cross current cut date day deal
  decide default delete depend describe detail develop different direct do done door double down draw drive drop each
  early easy edge edit else empty end enough enter entire error even event every exact example except expect explain
  face fact fail fall false family far fast fault favourite feel few field figure file fill final find fine finish first
  five fix float flow folder follow font food force form format forward four free front full fun function further future
  game general get girl give glad go good great green group grow guess half hand handle happen happy hard head heading
  hear heavy help here high hold home hope hour house human hundred idea image important improve include increase index
  inside instead into issue item job join just keep key kind know known large last late later leave left length less let
  letter level life light like limit line link list little live local long look loop lose lot love low main make man
  many mark match matter mean means meet member method middle might mind minute miss model moment money month more morning
  most move much must name near need never new next nice night no node none normal note nothing now number object off
  office often old once one only open option order other out output outside over own page pair paper part party pass
  past pattern people perfect person picture piece place plan play please plus point possible power prefer present
  press pretty price print problem process program proper put question quick quite raise random range rate reach read
  ready real reason red reference remove repeat replace reply request require rest result return right rise road room
  round row rule run safe same save say scene school score screen script search second section see seem select send
  sense sentence separate serve service set seven several shape share short should show shown side sign similar simple
  since sing single sit six size skip slow small so some song soon sort sound source space speak special spell split
  stand star start state step still stop story straight street string strong stuff style subject such sum support sure
  swap table take talk task tell ten term test text thank thing think third though thousand thread three through time
  title today together tomorrow tool top total touch town train travel tree trip true try turn twice two type under
  understand unit until up update upon use user usual valid value variable very view visit voice wait walk wall want
  watch water way wear week weekday well white whole wide win window wish within without wonder word work world worry
  write wrong yard year yellow yes yesterday yet young zero
`;

const STEMS = new Set(WORDS.trim().split(/\s+/).map(stem));

export const isOrdinary = (word: string): boolean => STEMS.has(stem(word));
