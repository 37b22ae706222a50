import type { PublicRules } from '@fairtick/protocol';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { formatCount, formatDateTime, formatPublic, formatRate } from '../state/format.ts';
import { duration } from './operation.tsx';
import { Fact, Section } from './section.tsx';
import css from './transparency.module.css';

const NAMED = 6;
const CHANGES = 6;
const LEVELS = ['bronze', 'silver', 'gold', 'platinum'] as const;

export function Rules() {
  const { t } = useText();
  const { data } = useAnswer('transparency/rules', {}, { refetchOnMount: 'always' });
  return (
    <Section id="rules" title={t('open.rules')} note={t('open.rulesNote')}>
      <div className={css.columns}>
        {data?.current.map((group) => (
          <Group key={group.symbols[0]} group={group} />
        ))}
      </div>
      {data && <History history={data.history} />}
    </Section>
  );
}

function Group({ group }: { group: PublicRules['current'][number] }) {
  const { t } = useText();
  const { symbols, cycles, limits, levels } = group;
  const rest = symbols.length - NAMED;
  return (
    <div className={`card p-16 ${css.card}`}>
      <h3>
        {symbols.slice(0, NAMED).join(' · ')}
        {rest > 0 && ` ${t('open.andMore', { count: rest })}`}
      </h3>
      <dl className={css.facts}>
        <Fact name={t('open.sources')}>
          {t('open.quorum', { quorum: group.quorum, sources: group.sources })}
        </Fact>
        <Fact name={t('open.delay')}>{duration(group.delayMs, t)}</Fact>
        <Fact name={t('open.quiet')}>{duration(group.quietMs, t)}</Fact>
        <Fact name={t('open.wait')}>{duration(group.waitMs, t)}</Fact>
        {limits.map(({ asset, minPurchase, max }) => (
          <Fact key={asset} name={t('open.stake', { asset })}>
            {max.map(({ upToMinutes, amount }) => (
              <div key={upToMinutes}>
                {`${formatPublic(minPurchase)}–${formatPublic(amount)}`}
                <small>{t('open.stakeCycles', { count: upToMinutes })}</small>
              </div>
            ))}
          </Fact>
        ))}
        <Fact name={t('open.levels')}>
          {LEVELS.map((level) => {
            const factor = levels[level] ?? null;
            const most = factor === null ? t('ticket.unlimited') : `×${factor}`;
            return `${t(`open.level.${level}`)} ${most}`;
          }).join(' · ')}
        </Fact>
      </dl>
      <ul className={`thirds gap-6 mt-12 ${css.cycles}`} aria-label={t('open.payouts')}>
        {cycles.map(({ minutes, payoutRate }) => (
          <li key={minutes}>
            <small className="text-11">{t('open.minutes', { count: minutes })}</small>
            <b translate="no">{formatRate(payoutRate)}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

function History({ history }: { history: PublicRules['history'] }) {
  const { t, tag } = useText();
  return (
    <div className={`card p-16 ${css.card}`}>
      <h3>{t('open.history')}</h3>
      <dl className={css.facts}>
        {history.slice(0, CHANGES).map((change) => (
          <div key={`${change.effectiveAt} ${change.lastIndex}`}>
            <dt>
              {formatDateTime(change.effectiveAt, tag)}
              <small>{change.isChange ? t('open.byTwo') : t('open.byFeed')}</small>
            </dt>
            <dd>
              {t('open.products', { count: change.products })}
              <small>{t('open.entry', { index: formatCount(change.firstIndex) })}</small>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
