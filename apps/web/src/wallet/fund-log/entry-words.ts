import type { FundEntry } from '@fairtick/protocol';
import type { Text } from '../../messages/text.ts';
import { formatAmount, formatSigned } from '../../state/format.ts';

/** Whether the entry puts a withdrawal's held money back. */
export const isReturn = ({ ref, amount }: FundEntry): boolean =>
  ref.startsWith('withdrawal:') && !amount.startsWith('-');

export function typeText(entry: FundEntry, t: Text['t']): string {
  if (entry.type === 'deposit' && /^demo\b/.test(entry.ref)) return t('log.practice');
  if (entry.type === 'deposit' && entry.amount.startsWith('-')) return t('log.depositReverted');
  return t(isReturn(entry) ? 'log.withdrawalReturned' : `log.type.${entry.type}`);
}

export const hasMoved = (entry: FundEntry): boolean => entry.balance !== null || entry.type === 'interest';

export const amountText = (entry: FundEntry): string =>
  `${hasMoved(entry) ? formatSigned(entry.amount) : formatAmount(entry.amount)} ${entry.asset}`;

export function causeOf({ ref, order }: FundEntry, t: Text['t']): { about: string; href: string | null } {
  const [kind, id = ''] = ref.split(':');
  switch (kind) {
    case 'order':
      return {
        about: order
          ? `${order.symbol} · ${t('trade.minutes', { minutes: order.minutes })}`
          : t('log.ofOrder', { id }),
        href: `/historyOrder?id=${id}`,
      };
    case 'deposit':
      return { about: t('log.ofDeposit', { id }), href: `/accessLog?deposit=${id}` };
    case 'chain':
      return { about: t('log.ofChain', { id }), href: '/recharge' };
    case 'withdrawal':
      return { about: t('log.ofWithdrawal', { id }), href: `/accessLog?withdrawal=${id}` };
    case 'demo':
      return { about: t('log.ofPractice'), href: null };
    case 'correction':
      return { about: t('log.ofCorrection', { id }), href: null };
    case 'legal':
      return { about: t('log.ofLegal', { id }), href: '/mine' };
    case 'interest':
      return { about: t('log.ofDay', { day: id }), href: '/profit' };
    case 'earnings':
      return { about: t('log.ofEarnings', { id }), href: '/profit' };
    default:
      return { about: ref, href: null };
  }
}
