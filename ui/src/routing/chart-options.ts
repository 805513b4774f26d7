import uPlot from 'uplot';
import { GRID_LINES, gridStep } from './chart-grid.ts';
import type { Slot } from './run-figures.ts';
import { shortSlotName } from './slot-name.ts';

const FONT_SIZE = '11px';

export interface Look {
  fresh: string;
  cached: string;
  failed: string;
  surface: string;
  grid: string;
  text: string;
  font: string;
}

/** A canvas does not use style sheets, so colours and font are read from styled elements. */
export function readLook(element: HTMLElement): Look {
  const of = (name: string) => getComputedStyle(element.querySelector(`.${name}`)!).backgroundColor;
  return {
    fresh: of('sw-ok'),
    cached: of('sw-hit'),
    failed: of('sw-bad'),
    surface: of('chart-surface'),
    grid: of('chart-grid'),
    text: of('chart-text'),
    font: `${FONT_SIZE} ${getComputedStyle(element).fontFamily}`,
  };
}

/** Stacked series, the highest first: the lower ones are drawn over it. */
export function stacked(slots: readonly Slot[]): uPlot.AlignedData {
  return [
    slots.map((_, index) => index),
    slots.map(({ fresh, cached, failed }) => fresh + cached + failed),
    slots.map(({ fresh, cached }) => fresh + cached),
    slots.map(({ fresh }) => fresh),
  ];
}

type OnHover = (at: number | null | undefined, plot: uPlot) => void;

export function chartOptions(
  slots: readonly Slot[],
  hourly: boolean,
  look: Look,
  onHover: OnHover,
): Omit<uPlot.Options, 'width' | 'height'> {
  const highest = Math.max(0, ...slots.map(({ fresh, cached, failed }) => fresh + cached + failed));
  const step = gridStep(highest);
  const every = Math.ceil(slots.length / 5);
  const paths = uPlot.paths.bars!({ size: [0.76, 48], radius: 0.08 });
  const series = (fill: string): uPlot.Series => ({
    fill,
    stroke: look.surface,
    width: 1,
    paths,
    points: { show: false },
  });
  const axis = { stroke: look.text, font: look.font, ticks: { show: false } };
  return {
    legend: { show: false },
    padding: [8, 0, 0, 0],
    cursor: { x: false, y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.5, slots.length - 0.5] },
      y: { range: [0, step * Math.max(GRID_LINES, Math.ceil(highest / step))] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        gap: 6,
        grid: { show: false },
        splits: slots
          .map((_, index) => index)
          .filter((index) => index % every === Math.floor(every / 2) && index < slots.length - 1),
        values: (_, indexes) => indexes.map((index) => shortSlotName(slots[index]?.atMs ?? 0, hourly)),
      },
      {
        ...axis,
        size: 34,
        gap: 8,
        grid: { stroke: look.grid, width: 1 },
        splits: Array.from({ length: GRID_LINES + 1 }, (_, index) => index * step),
        values: (_, numbers) => numbers.map((number) => number.toLocaleString('en')),
      },
    ],
    series: [{}, series(look.failed), series(look.cached), series(look.fresh)],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx, plot)] },
  };
}
