import type { DepositChannel } from '@fairtick/protocol';
import { FaultIcon, Grouped, Skeleton } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { Copy } from '../../parts/code-text.tsx';
import { later } from '../../parts/later.tsx';
import css from './deposit.module.css';

const QR_SIZE = 116;
const QrCode = later(() => import('../../parts/qr-code.tsx'), {
  waiting: <Skeleton width={QR_SIZE} height={QR_SIZE} />,
});

/** The details of a payment: an address with its QR code, or bank details; in the demo with a warning above and a watermark behind them. */
export function ChannelDetails({ channel }: { channel: DepositChannel }) {
  const { t } = useText();
  return (
    <section className={`card ${css.details}`} aria-label={t('deposit.payTo')}>
      {channel.isDemo && (
        <>
          <Watermark text={t('deposit.watermark')} />
          <p className={`with-icon flex gap-6 py-8 px-14 text-13 bad ${css.demo}`}>
            <FaultIcon size={16} />
            {t(channel.bank === null ? 'deposit.demoNote' : 'deposit.demoAccount')}
          </p>
        </>
      )}
      {channel.address !== null && <Address channel={channel} address={channel.address} />}
      {channel.bank !== null && <Bank bank={channel.bank} />}
    </section>
  );
}

function Address({ channel, address }: { channel: DepositChannel; address: string }) {
  const { t } = useText();
  return (
    <div className={`row gap-16 ${css.address}`}>
      {channel.qr !== null && (
        <div className={css.qr}>
          <QrCode text={channel.qr} label={t('deposit.qrLabel', { asset: channel.asset })} />
        </div>
      )}
      <div className={`min-0 ${css.addressText}`}>
        <span className="caption">{t('deposit.address')}</span>
        <p>
          <Grouped text={address} />
        </p>
        <Copy text={address} what={t('deposit.address')} />
      </div>
    </div>
  );
}

function Bank({ bank }: { bank: NonNullable<DepositChannel['bank']> }) {
  const { t } = useText();
  const rows = [
    [t('deposit.bank'), bank.bank],
    [t('deposit.branch'), bank.branch],
    [t('deposit.holder'), bank.holder],
    [t('deposit.accountNumber'), bank.accountNumber],
    [t('deposit.reference'), bank.reference],
  ] as const;
  return (
    <>
      <dl className={css.bank}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd translate="no">
              {value}
              <Copy text={value} what={name} isBare />
            </dd>
          </div>
        ))}
      </dl>
      <p className={`caption mt-6 line-above ${css.bankNote}`}>{t('deposit.referenceNote')}</p>
    </>
  );
}

const ROWS = 7;

/** Repeated faint words over the whole area, so that any part of a screenshot contains them, too. */
function Watermark({ text }: { text: string }) {
  return (
    <svg
      className={css.watermark}
      aria-hidden="true"
      viewBox="0 0 335 160"
      preserveAspectRatio="xMidYMid slice"
    >
      <g transform="rotate(-18 167 80)">
        {Array.from({ length: ROWS }, (_, row) => (
          <text key={row} x={row % 2 === 0 ? -60 : -120} y={row * 40 - 36}>
            {`${text}　　`.repeat(ROWS)}
          </text>
        ))}
      </g>
    </svg>
  );
}
