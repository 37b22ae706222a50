import { type HoldingsEntry, isOwned, parseHoldings } from '@fairtick/proof';
import { CheckIcon, FaultIcon } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { trustedLog } from '../orders/receipt-check/trusted-log.ts';
import { formatAmount, formatCount } from '../state/format.ts';
import { pointed } from './check-owed.ts';
import own from './owed.module.css';
import { Fact, Section } from './section.tsx';
import css from './transparency.module.css';

/** What the house holds on chains beside what it owes, and whose signature each address has. Nothing where no chain is watched. */
export function Held() {
  const { t } = useText();
  const { data } = useAnswer('transparency/holdings', {}, { refetchOnMount: 'always' });
  const origin = useQuery({
    queryKey: ['log-origin'],
    queryFn: async () => (await trustedLog()).kept.origin,
    enabled: (data?.length ?? 0) > 0,
  }).data;
  const last = data?.[0]?.date;
  const shown = (data ?? []).flatMap(({ date, entry, index }) => {
    const held = date === last ? parseHoldings(entry) : null;
    return held === null ? [] : [{ held, index }];
  });
  if (shown.length === 0) return null;
  return (
    <Section id="held" title={t('open.held')} note={t('open.heldNote')}>
      <div className={css.columns}>
        {shown.map(({ held, index }) => (
          <Token key={`${held.chain} ${held.contract}`} held={held} index={index} origin={origin} />
        ))}
      </div>
      <p className={`note ${css.note}`}>{t('open.heldLimits')}</p>
    </Section>
  );
}

function Token(props: { held: HoldingsEntry; index: number | null; origin: string | undefined }) {
  const { held, index, origin } = props;
  const { t } = useText();
  const owed = useAnswer('transparency/liabilities', {}).data?.find(
    ({ asset, date }) => asset === held.asset && date === held.date,
  );
  const amount = (units: bigint) => formatAmount(pointed(`${units}`, held.decimals));
  const sum = held.own.reduce((all, { units }) => all + units, held.deposits);
  return (
    <div className={`card p-16 ${css.card}`}>
      <h3>
        {held.asset} · {held.chain}
      </h3>
      <dl className={css.facts}>
        <Fact name={t('open.heldSum')}>
          {amount(sum)}
          <small>
            {index === null ? t('open.notLogged') : t('open.entry', { index: formatCount(index) })}
          </small>
        </Fact>
        <Fact name={t('open.heldOwed')}>{owed === undefined ? '–' : formatAmount(owed.total)}</Fact>
        <Fact name={t('open.heldDeposits')}>{amount(held.deposits)}</Fact>
        <Fact name={t('open.heldBlock')}>{formatCount(Number(held.height))}</Fact>
      </dl>
      <ul className={own.checks}>
        {held.own.map((one) => {
          const isRight = origin !== undefined && isOwned(origin, one);
          return (
            <li key={one.address} data-wrong={isRight || origin === undefined ? undefined : ''}>
              <span className={own.mark}>{isRight ? <CheckIcon size={16} /> : <FaultIcon size={16} />}</span>
              <div>
                <b>{amount(one.units)}</b>
                <code className="block text-12 ink-2 breaks" translate="no">
                  {one.address}
                </code>
                <span className="caption">
                  {origin === undefined
                    ? t('open.ownChecking')
                    : t(isRight ? 'open.heldSigned' : 'open.heldUnsigned')}
                </span>
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
