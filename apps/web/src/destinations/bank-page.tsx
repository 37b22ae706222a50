import type { UserInfo } from '@fairtick/protocol';
import {
  AddIcon,
  AssetIcon,
  buttonClass,
  CardIcon,
  ClockIcon,
  ForwardIcon,
  Grouped,
  Notice,
} from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import { faultText } from '../api/tell-fault.ts';
import { refreshUserInfo } from '../live/user-info.ts';
import { useText } from '../messages/text-context.tsx';
import { Copy } from '../parts/code-text.tsx';
import { Remark } from '../parts/form-parts.tsx';
import { pageOf } from '../parts/page.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { Link } from '../shell/link.tsx';
import { sentences } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { ASSETS } from './crypto-assets.ts';
import own from './destinations.module.css';
import { Hold, useHolds } from './holds.tsx';

/** The server takes no more. */
const MAX_CARDS = 5;

/** `/bank`: the destinations of withdrawals, bank cards, accounts and addresses. */
export default pageOf('identity', Bound);

function Bound() {
  const { t, tag } = useText();
  const userInfo = useSession((state) => state.userInfo);
  const holds = useHolds();
  if (!userInfo) return null;
  const failure = holds.error ? faultText(holds.error, t) : null;
  return (
    <PullToRefresh onRefresh={() => Promise.all([refreshUserInfo(), holds.refetch({ throwOnError: true })])}>
      <div className="page">
        {failure !== null && <Notice>{t('bound.stale', { failure })}</Notice>}
        <Cards cards={userInfo.banks} states={holds.data?.states} />
        <Addresses addresses={userInfo.addresses} states={holds.data?.states} />
        <div className="mt-20">
          <Remark icon={<ClockIcon size={20} />}>
            {sentences(
              t('hold.rule'),
              holds.data &&
                t('hold.length', { time: durationText(holds.data.holdSeconds * 1000, tag, 'long') }),
            )}
          </Remark>
        </div>
      </div>
    </PullToRefresh>
  );
}

type States = NonNullable<ReturnType<typeof useHolds>['data']>['states'] | undefined;

function placeOf({ country, bankCode, branch }: UserInfo['banks'][number], tag: string): string {
  const name = country && new Intl.DisplayNames([tag], { type: 'region' }).of(country);
  return [name, bankCode, branch].filter(Boolean).join(' · ');
}

function Cards({ cards, states }: { cards: UserInfo['banks']; states: States }) {
  const { t, tag } = useText();
  return (
    <section className={`mt-24 ${own.section}`}>
      <h2>
        {t('bound.cards')}
        <span className="note">{t('bound.cardsFor')}</span>
      </h2>
      {cards.length === 0 ? (
        <p className="secondary mt-8">{t('bound.noCard')}</p>
      ) : (
        <div className="card lined mt-12 clip">
          {cards.map((card) => (
            <Link
              key={card.id}
              href={`/editBank?id=${card.id}`}
              className={`row full gap-14 py-14 px-16 ${own.bound}`}
            >
              <CardIcon size={22} />
              <div className="min-0">
                <b>{card.bank}</b>
                <p>
                  <span className={own.number}>•••• {card.last4}</span> · {card.holder}
                </p>
                <p>{placeOf(card, tag)}</p>
                <Hold until={states?.get(card.id)?.usableAt} />
              </div>
              <ForwardIcon size={16} />
            </Link>
          ))}
        </div>
      )}
      {cards.length < MAX_CARDS ? (
        <Link
          href="/editBank"
          className={`mt-12 ${buttonClass}`}
          data-look={cards.length === 0 ? 'gold' : 'line'}
          data-block
        >
          <AddIcon size={20} />
          {t('bound.addCard')}
        </Link>
      ) : (
        <p className="secondary mt-12">{t('bound.mostCards', { count: MAX_CARDS })}</p>
      )}
    </section>
  );
}

function Addresses({ addresses, states }: { addresses: UserInfo['addresses']; states: States }) {
  const { t } = useText();
  return (
    <section className={`mt-24 ${own.section}`}>
      <h2>{t('bound.addresses')}</h2>
      <div className="card lined mt-12 clip">
        {ASSETS.map((asset) => (
          <div key={asset} className={`row ${own.row}`}>
            <Link href={`/editAddress#${asset}`} className={`row full gap-14 py-14 px-16 ${own.bound}`}>
              <AssetIcon asset={asset} size={22} />
              <div className="min-0">
                <b>{asset}</b>
                {addresses[asset] === null ? (
                  <p>{`${t('bound.none')} · ${t(`address.hint${asset}`)}`}</p>
                ) : (
                  <>
                    <p>{states?.get(asset)?.network ?? t(`address.hint${asset}`)}</p>
                    <Grouped text={addresses[asset]} />
                    <Hold until={states?.get(asset)?.usableAt} />
                  </>
                )}
              </div>
              <ForwardIcon size={16} />
            </Link>
            {addresses[asset] !== null && <Copy text={addresses[asset]} what={asset} isBare />}
          </div>
        ))}
      </div>
    </section>
  );
}
