// Names of months, weekdays, numbers and units, with their values.

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
export const MONTH_NAMES = new Map<string, number>();
for (const [
  index,
  name,
] of 'january february march april may june july august september october november december'
  .split(' ')
  .entries()) {
  MONTH_NAMES.set(name, index + 1);
  MONTH_NAMES.set(MONTHS[index]!, index + 1);
}
MONTH_NAMES.set('sept', 9);
for (const [name, month] of [
  ['januar', 1],
  ['februar', 2],
  ['märz', 3],
  ['mai', 5],
  ['juni', 6],
  ['juli', 7],
  ['oktober', 10],
  ['dezember', 12],
] as const) {
  MONTH_NAMES.set(name, month);
}

export const WEEKDAYS = new Map<string, number>();
for (const [index, names] of [
  'monday mondays mon montag montags',
  'tuesday tuesdays tue tues dienstag dienstags',
  'wednesday wednesdays wed mittwoch mittwochs',
  'thursday thursdays thu thur thurs donnerstag donnerstags',
  'friday fridays fri freitag freitags',
  'saturday saturdays samstag samstags',
  'sunday sundays sonntag sonntags',
].entries()) {
  for (const name of names.split(' ')) WEEKDAYS.set(name, index);
}

export const NUMBER_WORDS = new Map<string, number>(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, amount) => [word, amount]),
);
for (const [amount, word] of 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'
  .split(' ')
  .entries()) {
  NUMBER_WORDS.set(word, amount);
}
for (const [word, amount] of [
  ['thirty', 30],
  ['forty', 40],
  ['fifty', 50],
  ['sixty', 60],
  ['ninety', 90],
] as const) {
  NUMBER_WORDS.set(word, amount);
}

export const MULTIPLIERS = new Map<string, number>([
  ['hundred', 100],
  ['k', 1e3],
  ['thousand', 1e3],
  ['million', 1e6],
  ['mio', 1e6],
  ['billion', 1e9],
  ['bn', 1e9],
]);

/** A unit's dimension and its factor to the base unit; `otherFactor` is a second meaning of the same name. */
export interface Unit {
  dimension: string;
  factor: number;
  otherFactor: number;
}
export const UNITS = new Map<string, Unit>();
const unit = (dimension: string, factor: number, names: string, otherFactor = factor) => {
  for (const name of names.split(' ')) UNITS.set(name, { dimension, factor, otherFactor });
};
const DAY_S = 86_400;
unit('s', 0.001, 'ms millisecond milliseconds');
unit('s', 1, 's sec secs second seconds sekunde sekunden');
unit('s', 60, 'min mins minute minutes minuten');
unit('s', 3600, 'h hr hrs hour hours std stunde stunden');
unit('s', DAY_S, 'day days tag tage tagen');
unit('s', 7 * DAY_S, 'week weeks woche wochen');
unit('s', 30.4375 * DAY_S, 'month months monat monate monaten');
unit('s', 365.25 * DAY_S, 'year years yr yrs jahr jahre jahren');
for (const [power, names] of [
  'byte bytes',
  'kb kib ki',
  'mb mib',
  'gb gib gi',
  'tb tib ti',
  'pb pib',
].entries()) {
  // kB is used for 1,000 and 1,024 bytes: either meaning may match.
  unit('byte', 1000 ** power, names, 1024 ** power);
}
unit('m', 0.001, 'mm millimeters millimetres');
unit('m', 0.01, 'cm centimeters centimetres');
unit('m', 1, 'm meter meters metre metres');
unit('m', 1000, 'km kilometer kilometers kilometre kilometres');
unit('m', 1609.344, 'mile miles mi');
unit('m', 0.3048, 'ft feet foot');
unit('g', 1e-6, 'mcg µg μg');
unit('g', 0.001, 'mg');
unit('g', 1, 'g gram grams');
unit('g', 1000, 'kg kilo kilos kilogram kilograms');
unit('g', 453.592, 'lb lbs pound pounds');
unit('l', 0.001, 'ml');
unit('l', 1, 'l liter liters litre litres');
unit('%', 1, '% percent pct prozent');
unit('°', 1, '°c celsius degrees °');
unit('°f', 1, '°f fahrenheit');
unit('w', 1, 'w watt watts');
unit('w', 1000, 'kw');
unit('hz', 1e6, 'mhz');
unit('hz', 1e9, 'ghz');
unit('bar', 1, 'bar');
unit('psi', 1, 'psi');
unit('km/h', 1, 'km/h kmh kph');
unit('km/h', 1.609344, 'mph');
unit('kcal', 1, 'kcal calories');
for (const names of [
  'usd $ dollar dollars',
  'eur € euro euros',
  'gbp £',
  'pln zł zloty',
  'chf',
  'jpy yen',
  'sek',
  'czk',
]) {
  unit(names.split(' ')[0]!, 1, names);
}
