import { type MouseEvent, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { strings } from '../strings.ts';
import { chartOptions, readLook, stacked } from './chart-options.ts';
import type { Slot } from './run-figures.ts';
import { slotName } from './slot-name.ts';

const text = strings.routing;
const HEIGHT_PX = 236;
const TIP_PX = 160;

interface RunsChartProps {
  slots: readonly Slot[];
  hourly: boolean;
  /** A bar was clicked. The table has a link for each, for the keyboard. */
  onChoose(slot: Slot): void;
}

/** The bar under the pointer, and its position. */
interface Hover {
  at: number;
  left: number;
  width: number;
}

/** Stacked bars on a canvas; the table beside it holds the same numbers for screen readers. */
export function RunsChart({ slots, hourly, onChoose }: RunsChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const [hover, setHover] = useState<Hover>();
  const theme = useTheme();
  const shape = JSON.stringify(slots);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` identifies the slots; the theme sets the colours
  useEffect(() => {
    const element = place.current!;
    const onHover = (at: number | null | undefined, plot: uPlot) =>
      setHover(typeof at === 'number' ? hoverAt(plot, at) : undefined);
    const options = chartOptions(slots, hourly, readLook(element), onHover);
    const size = () => ({ width: element.clientWidth, height: HEIGHT_PX });
    const plot = new uPlot({ ...options, ...size() }, stacked(slots), element);
    chart.current = plot;
    const observer = new ResizeObserver(() => plot.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      setHover(undefined);
    };
  }, [shape, hourly, theme]);
  const slot = hover && slots[hover.at];
  // From the position, not from the last hover: a tap has none.
  const choose = ({ clientX }: MouseEvent) => {
    const left = chart.current!.over.getBoundingClientRect().left;
    const at = slots[chart.current!.posToIdx(clientX - left)];
    if (at && countOf(at) > 0) onChoose(at);
  };
  return (
    <div className="chart">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below has the same links */}
      <div
        ref={place}
        className={`chart-canvas ${slot && countOf(slot) > 0 ? 'has-runs' : ''}`}
        role="img"
        aria-label={text.chartLabel}
        onClick={choose}
      >
        <span className="chart-colours" hidden>
          <i className="sw-ok" />
          <i className="sw-hit" />
          <i className="sw-bad" />
          <i className="chart-surface" />
          <i className="chart-grid" />
          <i className="chart-text" />
        </span>
      </div>
      {hover && slot && (
        <>
          <div className="chart-band" style={{ left: hover.left - hover.width / 2, width: hover.width }} />
          <Tip slot={slot} hourly={hourly} left={tipLeft(hover, place.current!.clientWidth)} />
        </>
      )}
    </div>
  );
}

const countOf = ({ fresh, cached, failed }: Slot) => fresh + cached + failed;

function hoverAt(plot: uPlot, at: number): Hover {
  const left = plot.valToPos(at, 'x') + plot.over.offsetLeft;
  return { at, left, width: plot.over.clientWidth / plot.data[0].length };
}

/** The tooltip, on the side of the bar that has space. */
const tipLeft = ({ left, width }: Hover, chartPx: number) =>
  left + width + TIP_PX < chartPx ? left + width / 2 + 8 : Math.max(0, left - width / 2 - 8 - TIP_PX);

function Tip({ slot, hourly, left }: { slot: Slot; hourly: boolean; left: number }) {
  const { atMs, fresh, cached, failed } = slot;
  return (
    <div className="chart-tip" style={{ left, width: TIP_PX }} aria-hidden="true">
      <b>
        {slotName(atMs, hourly)} · {strings.packs.runCount(countOf(slot))}
      </b>
      <span>
        <i className="sw sw-ok" /> {text.fresh} {fresh}
      </span>
      <span>
        <i className="sw sw-hit" /> {text.cached} {cached}
      </span>
      <span>
        <i className="sw sw-bad" /> {text.failed} {failed}
      </span>
    </div>
  );
}

/** A counter that changes with the theme, whether the system or the user changes it. */
function useTheme(): number {
  const [times, setTimes] = useState(0);
  useEffect(() => {
    const changed = () => setTimes((before) => before + 1);
    const system = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
      matchMedia(query),
    );
    for (const query of system) query.addEventListener('change', changed);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      for (const query of system) query.removeEventListener('change', changed);
      observer.disconnect();
    };
  }, []);
  return times;
}
