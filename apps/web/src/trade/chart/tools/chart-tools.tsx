import { Button, IconButton, Segments, TrashIcon } from '@fairtick/ui';
import { useText } from '../../../messages/text-context.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { type ChartSettings, STUDIES, STYLES, type Study } from '../plot/chart-settings.ts';
import { DRAWING_NAMES, STUDY_NAMES, STYLE_NAMES } from './chart-words.ts';
import { DRAWING_KINDS, type DrawingKind } from './drawings.ts';
import css from './tools.module.css';
import type { Drawings } from './use-drawings.ts';

interface ToolsProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly settings: ChartSettings;
  readonly onChange: (change: Partial<ChartSettings>) => void;
  readonly drawings: Drawings;
}

/** How the chart is drawn, its indicators, and what the reader draws on it. */
export default function ChartTools({ isOpen, onClose, settings, onChange, drawings }: ToolsProps) {
  const { t } = useText();
  const toggle = (study: Study) =>
    onChange({ studies: STUDIES.filter((one) => settings.studies.includes(one) !== (one === study)) });
  const begin = (kind: DrawingKind) => {
    onClose();
    drawings.begin(kind);
  };
  return (
    <Dialog title={t('chart.tools')} isOpen={isOpen} onClose={onClose}>
      <div className={css.tools}>
        <Segments
          label={t('chart.style')}
          name="chart-style"
          value={settings.style}
          choices={STYLES.map((value) => ({ value, label: t(STYLE_NAMES[value]) }))}
          onChange={(style) => onChange({ style })}
        />
        <fieldset className={css.studies}>
          <legend>{t('chart.studies')}</legend>
          {STUDIES.map((study) => (
            <label key={study}>
              <input
                type="checkbox"
                checked={settings.studies.includes(study)}
                onChange={() => toggle(study)}
              />
              {t(STUDY_NAMES[study])}
            </label>
          ))}
        </fieldset>
        <section className={css.drawTools} aria-labelledby="chart-draw">
          <h3 id="chart-draw">{t('chart.draw')}</h3>
          <div>
            {DRAWING_KINDS.map((kind) => (
              <Button key={kind} size="small" onClick={() => begin(kind)}>
                {t(DRAWING_NAMES[kind])}
              </Button>
            ))}
          </div>
          <DrawingList drawings={drawings} onChoose={onClose} />
        </section>
      </div>
    </Dialog>
  );
}

function DrawingList({ drawings, onChoose }: { drawings: Drawings; onChoose: () => void }) {
  const { t } = useText();
  const { all } = drawings;
  if (all.length === 0) return <p className={css.drawNote}>{t('chart.drawNote')}</p>;
  const choose = (id: number) => {
    onChoose();
    drawings.select(id);
  };
  return (
    <>
      <ul aria-label={t('chart.drawings')}>
        {all.map(({ id, kind, points }) => {
          const name = `${t(DRAWING_NAMES[kind])}, ${points.map(({ price }) => shortPrice(price)).join(' – ')}`;
          return (
            <li key={id}>
              <button type="button" onClick={() => choose(id)}>
                {name}
              </button>
              <IconButton label={`${t('chart.delete')}: ${name}`} onClick={() => drawings.remove(id)}>
                <TrashIcon size={20} />
              </IconButton>
            </li>
          );
        })}
      </ul>
      {all.length > 1 && (
        <Button size="small" look="quiet" onClick={drawings.clear}>
          {t('chart.deleteAll')}
        </Button>
      )}
    </>
  );
}

/** Six digits are enough to tell drawings apart. */
const shortPrice = (price: number): string => price.toLocaleString('en-US', { maximumSignificantDigits: 6 });
