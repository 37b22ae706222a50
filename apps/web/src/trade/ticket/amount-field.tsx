import { FaultIcon } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { formatPublic } from '../../state/format.ts';
import { AssetSwitch } from '../market/asset-switch.tsx';
import css from './ticket.module.css';
import { quickAmounts, type TicketSummary } from './ticket-model.ts';

export function AmountField(props: {
  amount: string;
  asset: string;
  /** Why the order can't be placed, whichever field it is about. */
  fault: string | null;
  isFaulty: boolean;
  isLocked: boolean;
  /** The product takes no orders, and so no amount. */
  isClosed: boolean;
  limits: TicketSummary['limits'];
  aside: string;
  onChange: (amount: string) => void;
}) {
  const { t } = useText();
  const { fault } = props;
  const isLocked = props.isLocked || props.isClosed;
  return (
    <>
      <div className={`caption flex between full gap-12 ${css.head}`}>
        <label htmlFor="ticket-amount">{t('ticket.amount')}</label>
        <span>{props.aside}</span>
      </div>
      <div className={`framed row ${css.amount}`} data-fault={props.isFaulty || undefined}>
        <input
          id="ticket-amount"
          inputMode="decimal"
          autoComplete="off"
          placeholder={t('ticket.enterAmount')}
          aria-invalid={props.isFaulty || undefined}
          value={props.amount}
          readOnly={isLocked}
          onChange={(event) => props.onChange(event.target.value)}
        />
        <AssetSwitch asset={props.asset} isDisabled={props.isLocked} />
      </div>
      <div className={`caption ${css.below}`}>
        <p className="flex gap-6 bad" role="alert">
          {fault !== null && (
            <>
              <FaultIcon size={16} />
              {fault}
            </>
          )}
        </p>
        {fault === null && <Bounds limits={props.limits} asset={props.asset} />}
      </div>
      <div className={`amounts ${css.quick}`} role="group" aria-label={t('ticket.quick')}>
        {quickAmounts(props.asset).map((quick) => (
          <button
            key={quick}
            type="button"
            className="reach"
            aria-pressed={props.amount === quick}
            disabled={isLocked}
            onClick={() => props.onChange(quick)}
          >
            {quick}
          </button>
        ))}
      </div>
    </>
  );
}

function Bounds({ limits, asset }: { limits: TicketSummary['limits']; asset: string }) {
  const { t } = useText();
  if (limits === null) return null;
  const least = formatPublic(limits.minPurchase);
  if (limits.maxPurchase === null) return <p>{t('ticket.from', { least, asset })}</p>;
  return <p>{t('ticket.fromTo', { least, most: formatPublic(limits.maxPurchase), asset })}</p>;
}
