import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { strings } from '../strings.ts';
import { chartOptions, readLook, stacked } from './chart-options.ts';
import type { Slot } from './run-figures.ts';
import { slotName } from './slot-name.ts';

const text = strings.routing;
const HEIGHT_PX = 236;
const TIP_PX = 160;

/** The bar under the pointer, and its position. */
interface Hover {
  at: number;
  left: number;
  width: number;
}

/** Stacked bars on a canvas; the table beside it holds the same numbers for screen readers. */
export function RunsChart({ slots, hourly }: { slots: readonly Slot[]; hourly: boolean }) {
  const place = useRef<HTMLDivElement>(null);
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
    const observer = new ResizeObserver(() => plot.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      setHover(undefined);
    };
  }, [shape, hourly, theme]);
  const slot = hover && slots[hover.at];
  return (
    <div className="chart">
      <div ref={place} className="chart-canvas" role="img" aria-label={text.chartLabel}>
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
        {slotName(atMs, hourly)} · {strings.packs.runCount(fresh + cached + failed)}
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
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', changed);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', changed);
      observer.disconnect();
    };
  }, []);
  return times;
}
