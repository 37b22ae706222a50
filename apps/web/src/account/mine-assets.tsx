import type { Balance } from '@fairtick/protocol';
import { AssetIcon, Card, ForwardIcon } from '@fairtick/ui';
import { useState } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { useOrders } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EyeButton } from '../parts/eye-button.tsx';
import { Link } from '../shell/link.tsx';
import { formatAmount } from '../state/format.ts';
import { useOwnAsset } from '../state/own-asset.ts';
import { useSession } from '../state/session.ts';
import { AssetSwitch } from '../trade/market/asset-switch.tsx';
import { MoneyLinks } from '../trade/market/money-links.tsx';
import { type HeldBy, heldBy, isNothing, sumOf, totalOf } from './balances-model.ts';
import own from './mine.module.css';
import { WorthTotal } from './mine-worth.tsx';

/** Shown for an unknown amount, instead of a misleading 0. */
const UNKNOWN = '–';

export function AssetsCard() {
  const { t } = useText();
  const balances = useSession((state) => state.userInfo?.balances);
  const asset = useOwnAsset();
  const [isOpen, setOpen] = useState(false);
  const balance = balances?.find((entry) => entry.asset === asset);
  return (
    <Card className={own.assets ?? ''}>
      <div className={`row between wrap ${own.assetsHead}`}>
        <div>
          <p className={`secondary row ${own.totalLabel}`}>
            {t('mine.total', { asset })}
            <EyeButton />
          </p>
          <p className={`flex items-baseline wrap gap-6 breaks ${own.total}`}>
            <span data-testid="total">
              <Figure amount={balance ? totalOf(balance) : null} />
            </span>
            <AssetSwitch asset={asset} />
          </p>
        </div>
        <div className={`halves gap-8 ${own.actions}`}>
          <MoneyLinks asset={asset} />
        </div>
      </div>
      <Parts balance={balance} />
      {asset === 'DEMO' && <p className="note mt-12 pt-12 line-above">{t('mine.practice')}</p>}
      <button
        type="button"
        className={`secondary row between full touch ${own.open}`}
        onClick={() => setOpen(true)}
      >
        {t('mine.allAssets')}
        <ForwardIcon size={16} />
      </button>
      <Dialog title={t('mine.allAssets')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <AllAssets balances={balances ?? []} />
      </Dialog>
    </Card>
  );
}

function Figure({ amount }: { amount: string | null }) {
  const { t } = useText();
  if (amount !== null) return formatAmount(amount);
  return (
    <>
      <span aria-hidden="true">{UNKNOWN}</span>
      <span className="sr">{t('mine.unknown')}</span>
    </>
  );
}

function Parts({ balance }: { balance: Balance | undefined }) {
  const { t } = useText();
  return (
    <dl className={`gap-8 mt-14 pt-12 line-above ${own.parts}`}>
      {(
        [
          ['available', t('trade.available')],
          ['held', t('mine.held')],
          ['earning', t('mine.earning')],
        ] as const
      ).map(([part, name]) => (
        <div key={part}>
          <dt className="caption">{name}</dt>
          <dd>
            <Figure amount={balance?.[part] ?? null} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function AllAssets({ balances }: { balances: readonly Balance[] }) {
  const { t } = useText();
  const orders = useOrders((state) => state.orders);
  const holds = useSession((state) => state.userInfo?.holds) ?? [];
  const withdrawals = useAnswer('withdraw/list', { status: 'review', limit: 100 });
  return (
    <>
      <WorthTotal balances={balances} />
      {balances.map((balance) => (
        <section key={balance.asset} className={`py-12 line-below ${own.asset}`}>
          <h3>
            <AssetIcon asset={balance.asset} size={22} />
            {balance.asset}
            <span>
              <Figure amount={totalOf(balance)} />
            </span>
          </h3>
          <Parts balance={balance} />
          {!isNothing(balance.held) && (
            <Why
              {...heldBy(balance.asset, orders, withdrawals.data?.items ?? null)}
              authorities={sumOf(
                holds.filter(({ asset }) => asset === balance.asset).map(({ amount }) => amount),
              )}
            />
          )}
        </section>
      ))}
      <p className="note mt-14">{t('mine.heldNote')}</p>
    </>
  );
}

/** The causes of the held part: those with a zero amount are left out, unknown amounts are marked. */
function Why({ orders, withdrawals, authorities }: HeldBy & { authorities: string | null }) {
  const { t } = useText();
  const causes = [
    { name: t('mine.heldOrders'), href: '/historyOrder', amount: orders },
    { name: t('mine.heldWithdrawals'), href: '/accessLog', amount: withdrawals },
    { name: t('mine.heldAuthorities'), href: '/changeLog', amount: authorities },
  ].filter(({ amount }) => amount === null || !isNothing(amount));
  return (
    <div className={`mt-8 py-8 px-12 text-13 ${own.why}`}>
      {causes.map(({ name, href, amount }) => (
        <Link key={href} href={href}>
          {name}
          <span>
            <Figure amount={amount} />
          </span>
        </Link>
      ))}
    </div>
  );
}
