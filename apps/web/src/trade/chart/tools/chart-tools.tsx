import { Button, Field, IconButton, Segments, TrashIcon } from '@fairtick/ui';
import { market, optionText } from '../../../live/market.ts';
import { useText } from '../../../messages/text-context.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { useIsLoggedIn } from '../../../state/session.ts';
import { type ChartSettings, SCALES, STYLES } from '../plot/chart-settings.ts';
import { DRAWING_KINDS, type Tool } from './drawings.ts';
import { StudyChoices } from './study-choices.tsx';
import css from './tools.module.css';
import type { Drawings } from './use-drawings.ts';

interface ToolsProps {
  readonly symbol: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly settings: ChartSettings;
  readonly onChange: (change: Partial<ChartSettings>) => void;
  readonly drawings: Drawings;
}

export default function ChartTools(props: ToolsProps) {
  const { symbol, isOpen, onClose, settings, onChange, drawings } = props;
  const { t } = useText();
  const isMember = useIsLoggedIn();
  const begin = (tool: Tool) => {
    onClose();
    drawings.begin(tool);
  };
  return (
    <Dialog title={t('chart.tools')} isOpen={isOpen} onClose={onClose}>
      <div className={`stack gap-20 ${css.tools}`}>
        <section className={`stack gap-10 ${css.drawTools}`} aria-labelledby="chart-draw">
          <h3 id="chart-draw">{t('chart.draw')}</h3>
          <div>
            {[...DRAWING_KINDS, ...(isMember ? (['priceAlert'] as const) : [])].map((tool) => (
              <Button key={tool} size="small" onClick={() => begin(tool)}>
                {t(`chart.${tool}`)}
              </Button>
            ))}
          </div>
          <label className="row gap-12 touch">
            <input
              type="checkbox"
              checked={settings.hasMagnet}
              onChange={() => onChange({ hasMagnet: !settings.hasMagnet })}
            />
            {t('chart.magnet')}
          </label>
          {drawings.canUndo && (
            <Button size="small" look="quiet" onClick={drawings.undo}>
              {t('chart.undo')}
            </Button>
          )}
          <DrawingList drawings={drawings} onChoose={onClose} />
        </section>
        <div className={`stack gap-8 ${css.named}`}>
          <p aria-hidden="true">{t('chart.style')}</p>
          <Segments
            label={t('chart.style')}
            name="chart-style"
            value={settings.style}
            choices={STYLES.map((value) => ({ value, label: t(`chart.${value}`) }))}
            onChange={(style) => onChange({ style })}
          />
        </div>
        <div className={`stack gap-8 ${css.named}`}>
          <p aria-hidden="true">{t('chart.scale')}</p>
          <Segments
            label={t('chart.scale')}
            name="chart-scale"
            value={settings.scale}
            choices={SCALES.map((value) => ({ value, label: t(`chart.scale.${value}`) }))}
            onChange={(scale) => onChange({ scale })}
          />
        </div>
        <Field label={t('chart.compare')} isSelect>
          {(ids) => (
            <select
              {...ids}
              value={settings.compare ?? ''}
              onChange={(event) => onChange({ compare: event.target.value || null })}
            >
              <option value="">{t('chart.compareNone')}</option>
              {market
                .all()
                .filter((product) => product.symbol !== symbol)
                .map((product) => (
                  <option key={product.symbol} value={product.symbol}>
                    {optionText(product)}
                  </option>
                ))}
            </select>
          )}
        </Field>
        <StudyChoices settings={settings} onChange={onChange} />
      </div>
    </Dialog>
  );
}

function DrawingList({ drawings, onChoose }: { drawings: Drawings; onChoose: () => void }) {
  const { t } = useText();
  const { all } = drawings;
  if (all.length === 0) return <p className="caption">{t('chart.drawNote')}</p>;
  const choose = (id: number) => {
    onChoose();
    drawings.select(id);
  };
  return (
    <>
      <ul aria-label={t('chart.drawings')}>
        {all.map(({ id, kind, points }) => {
          const name = `${t(`chart.${kind}`)}, ${points.map(({ price }) => shortPrice(price)).join(' – ')}`;
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
