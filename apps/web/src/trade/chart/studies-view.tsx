import type { Candle } from '@fairtick/protocol';
import { Fragment, type Ref, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import css from './chart.module.css';
import type { CandleChart } from './plot/candle-chart.ts';
import { hasOwnPane, type Lengths, type Study } from './plot/chart-settings.ts';
import { StudiesLayer, type StudyValue } from './studies-layer.ts';

/** Indicators on a chart, and their values at the pointed candle. The values of those with a pane of their own stand in it. */
export default function StudiesView(props: {
  chart: CandleChart;
  studies: readonly Study[];
  lengths: Lengths;
  candles: readonly Candle[];
  pointed: number | null;
}) {
  const { chart, candles, pointed } = props;
  const [layer, setLayer] = useState<StudiesLayer | null>(null);
  const chosen = JSON.stringify([props.studies, props.lengths]);
  useEffect(() => {
    const [studies, lengths] = JSON.parse(chosen) as [Study[], Lengths];
    const made = new StudiesLayer(chart, studies, lengths);
    setLayer(made);
    return chart.addLayer(made);
  }, [chart, chosen]);
  const [values, setValues] = useState<readonly StudyValue[]>([]);
  // After the layer has taken the candles, and after the chart has given each pane its height.
  useEffect(() => {
    const frame = requestAnimationFrame(() =>
      setValues(layer?.valuesAt(pointed ?? candles.length - 1) ?? []),
    );
    return () => cancelAnimationFrame(frame);
  }, [layer, candles, pointed]);
  const legend = useRef<HTMLParagraphElement>(null);
  // A pointed candle adds a line to the legend of a phone: the chart stays as it is under the finger.
  const isPointed = pointed !== null;
  useLayoutEffect(() => {
    if (values.length === 0 || isPointed) return;
    const { offsetTop = 0, offsetHeight = 0 } = legend.current ?? {};
    layer?.makeRoom(offsetTop + offsetHeight);
  }, [layer, values, isPointed]);
  return (
    <>
      <Values ref={legend} values={values.filter(({ top }) => top === 0)} />
      {props.studies.filter(hasOwnPane).map((study) => {
        const own = values.filter((value) => value.study === study);
        const top = own[0]?.top ?? 0;
        return top > 0 && <Values key={study} values={own} top={top} />;
      })}
    </>
  );
}

function Values(props: { values: readonly StudyValue[]; top?: number; ref?: Ref<HTMLParagraphElement> }) {
  const { values, top, ref } = props;
  const { t } = useText();
  if (values.length === 0) return null;
  return (
    <p
      ref={ref}
      className={css.values}
      style={top === undefined ? undefined : { position: 'absolute', top: top + 2 }}
    >
      {values.map(({ name, values: lines }) => (
        <span key={name}>
          {lines.every(({ word }) => word === null) ? (
            <>
              <i style={{ background: `var(${lines[0]?.colour})` }} />
              {name}
            </>
          ) : (
            <small>{name}</small>
          )}
          {lines.map(({ word, value, colour }, at) => (
            <Fragment key={word ?? at}>
              {word !== null && <i style={{ background: `var(${colour})` }} />}
              <b>
                {word !== null && <small>{t(word)} </small>}
                {value}
              </b>
            </Fragment>
          ))}
        </span>
      ))}
    </p>
  );
}
