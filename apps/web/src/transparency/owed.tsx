import { CheckIcon, FaultIcon } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { formatAmount, formatCount, formatDateTime } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { type CheckedOwed, checkOwn } from './check-owed.ts';
import own from './owed.module.css';
import { Fact, Section } from './section.tsx';
import css from './transparency.module.css';

const DAYS_SHOWN = 3;

/** The total owed to all customers; after a login, a check on this device that the own balance is included. */
export function Owed() {
  const { t } = useText();
  const customerId = useSession((state) => state.userInfo?.id ?? null);
  return (
    <Section id="owed" title={t('open.owed')} note={t('open.owedNote')}>
      <div className={css.columns}>
        {customerId !== null && <Own customerId={customerId} />}
        <Totals />
      </div>
      <p className={`note ${css.note}`}>{t('open.owedLimits')}</p>
    </Section>
  );
}

function Own({ customerId }: { customerId: string }) {
  const { t } = useText();
  const query = useQuery({
    queryKey: ['owed', customerId],
    queryFn: () => checkOwn(customerId),
    refetchOnMount: 'always',
  });
  const owed = query.data?.filter(({ fault, amount }) => fault !== 'absent' || amount !== null) ?? [];
  return (
    <div className={`card p-16 ${css.card}`} data-testid="own-balance">
      <h3>{t('open.own')}</h3>
      {query.data === undefined ? (
        <p className="note">{query.error ? t('open.ownFailed') : t('open.ownChecking')}</p>
      ) : owed.length === 0 ? (
        <p className="note">{t('open.ownNothing')}</p>
      ) : (
        <ul className={own.checks}>
          {owed.map((one) => (
            <OwnAsset key={one.asset} one={one} />
          ))}
        </ul>
      )}
      <p className={`note ${css.note}`}>{t('open.ownNote')}</p>
    </div>
  );
}

function OwnAsset({ one }: { one: CheckedOwed }) {
  const { t, tag } = useText();
  const isRight = one.fault === null;
  return (
    <li data-wrong={isRight || one.fault === 'unlogged' ? undefined : ''}>
      <span className={own.mark}>{isRight ? <CheckIcon size={16} /> : <FaultIcon size={16} />}</span>
      <div>
        <b>
          {one.amount === null ? '–' : formatAmount(one.amount)} {one.asset}
        </b>
        <span className="caption">
          {one.fault === null
            ? t('open.ownRight', {
                time: formatDateTime(one.takenAt, tag),
                index: formatCount(one.index ?? 0),
              })
            : t(`open.ownFault.${one.fault}`)}
        </span>
      </div>
    </li>
  );
}

function Totals() {
  const { t } = useText();
  const { data } = useAnswer('transparency/liabilities', {}, { refetchOnMount: 'always' });
  const dates = [...new Set(data?.map(({ date }) => date))].slice(0, DAYS_SHOWN);
  return (
    <div className={`card p-16 ${css.card} ${own.totals}`}>
      <h3>{t('open.totals')}</h3>
      {dates.length === 0 ? (
        <p className="note">{t('open.totalsNone')}</p>
      ) : (
        dates.map((date) => (
          <dl key={date} className={css.facts}>
            <div className={css.day}>
              <dt>{date}</dt>
              <dd />
            </div>
            {data
              ?.filter((one) => one.date === date)
              .map(({ asset, total, index }) => (
                <Fact key={asset} name={asset}>
                  {formatAmount(total)}
                  <small>
                    {index === null ? t('open.notLogged') : t('open.entry', { index: formatCount(index) })}
                  </small>
                </Fact>
              ))}
          </dl>
        ))
      )}
    </div>
  );
}
