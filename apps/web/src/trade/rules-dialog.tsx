import type { ProductDetail } from '@fairtick/protocol';
import { Fact, Facts } from '@fairtick/ui';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { formatShare } from '../state/format.ts';
import css from './product.module.css';

export default function RulesDialog(props: { detail: ProductDetail; isOpen: boolean; onClose: () => void }) {
  const { detail, isOpen, onClose } = props;
  const { t } = useText();
  const seconds = (ms: number) => t('product.secondsShort', { seconds: ms / 1000 });
  const lags = useLags(detail, isOpen);
  const named = (source: string) => {
    const licence = detail.licences[source];
    const lag = lags.get(source);
    const said = [
      ...(licence === undefined ? [] : [t(`product.licence.${licence}`)]),
      ...(lag === undefined ? [] : [lag === null ? t('product.lost') : t('product.lagNow', { count: lag })]),
    ];
    return said.length === 0 ? source : `${source} (${said.join(' · ')})`;
  };
  const hours = detail.schedule.windows;
  return (
    <Dialog title={t('product.rulesOf', { name: detail.name })} isOpen={isOpen} onClose={onClose}>
      <OrderRules rules={detail.rules} />
      <h3 className={css.rulesTitle}>{t('product.bounds')}</h3>
      <Facts className={css.bounds ?? ''} columns={1}>
        <Fact name={t('product.sourceNames')}>
          {lags.size === 0
            ? detail.sources.map(named).join(', ')
            : detail.sources.map((source) => (
                <span key={source} className={css.source}>
                  {named(source)}
                </span>
              ))}
        </Fact>
        <Fact name={t('product.quorum')}>{detail.quorum}</Fact>
        <Fact name={t('product.quiet')}>{seconds(detail.quietMs)}</Fact>
        <Fact name={t('product.wait')}>{seconds(detail.waitMs)}</Fact>
        <Fact name={t('product.outlier')}>{formatShare(detail.outlierBps / 10_000, 2)}</Fact>
        <Fact name={t('product.delay')}>{seconds(detail.delayMs)}</Fact>
        <Fact name={t('product.hours')}>
          {hours.length === 0
            ? t('product.allDay')
            : hours.map((window) => `${window.from}–${window.to}`).join(', ')}
        </Fact>
        {hours.length > 0 && <Fact name={t('product.zone')}>{detail.schedule.zone}</Fact>}
      </Facts>
      {detail.pyth?.keys.map(({ fromMs, quorum, routers }) => (
        <p key={fromMs} className={`caption mt-12 ${css.hash}`}>
          {t('product.pythKeys', { signers: String(quorum), routers: String(routers.length) })}
          {routers.map((router) => (
            <code key={router}>{router}</code>
          ))}
        </p>
      ))}
      {detail.rulesHash && (
        <p className={`caption mt-12 ${css.hash}`}>
          {t('product.rulesHash')} <CodeText text={detail.rulesHash} what={t('product.rulesHash')} />
        </p>
      )}
    </Dialog>
  );
}

const LIVE = new Set(['public', 'licensed']);
const REFRESH_MS = 5_000;

/** The median lag of each live source now, ms; null: it sends no prices. Sources that name no time of their own are left out. */
function useLags(detail: ProductDetail, isShown: boolean): ReadonlyMap<string, number | null> {
  const isLive = Object.values(detail.licences).some((licence) => LIVE.has(licence));
  const { data } = useAnswer(
    'transparency/sources',
    {},
    { enabled: isShown && isLive, refetchInterval: REFRESH_MS },
  );
  const lags = new Map<string, number | null>();
  for (const { source, state, lagP50 } of data?.sources ?? []) {
    if (state !== 'sends') lags.set(source, null);
    else if (lagP50 !== null) lags.set(source, lagP50);
  }
  return lags;
}

export const OrderRules = ({ rules }: { rules: readonly string[] }) => (
  <ol className={`secondary stack gap-12 ${css.rules}`}>
    {rules.map((rule) => (
      <Rule key={rule} text={rule} />
    ))}
  </ol>
);

/** A rule begins with its name and a colon. */
function Rule({ text }: { text: string }) {
  const end = text.search(/[:：]/);
  return (
    <li>
      <b>{text.slice(0, end)}</b>
      {text.slice(end)}
    </li>
  );
}
