import type { Data, DepositRequest, WithdrawalRequest } from '@fairtick/protocol';
import { isFinal } from '@fairtick/protocol/lifecycles';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get, post } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.tsx';
import { useOnNotice } from '../../live/notices.ts';
import { useText } from '../../messages/text-context.tsx';
import { useSession } from '../../state/session.ts';

/** A deposit or a withdrawal, distinguished by `kind`. */
export type Request =
  | ({ readonly kind: 'deposit' } & DepositRequest)
  | ({ readonly kind: 'withdrawal' } & WithdrawalRequest);
export type Kind = Request['kind'];
export type History = Data<'rechargeDetail'>['history'];
export type RequestWithHistory = Request & { readonly history: History };

/** Prefix of the query keys of all requests; invalidated after a notice. */
export const REQUESTS = ['wallet', 'requests'] as const;

const ASK_AGAIN_MS = 15_000;

async function readRequest(kind: Kind, id: string, signal: AbortSignal): Promise<RequestWithHistory> {
  return kind === 'deposit'
    ? { kind, ...(await get('recharge/detail', { id }, { signal })) }
    : { kind, ...(await get('withdraw/detail', { id }, { signal })) };
}

/** One request with its history; shows `known` until that is loaded. */
export function useRequest(kind: Kind, id: string, known?: Request) {
  const { language } = useText();
  useLiveRequests();
  return useQuery({
    queryKey: [...REQUESTS, kind, id, language],
    queryFn: ({ signal }) => readRequest(kind, id, signal),
    ...(known ? { placeholderData: { ...known, history: [] } } : {}),
    // Polls, because steps before the decision send no notice.
    refetchInterval: ({ state }) =>
      state.data && !isFinal('deposit', state.data.status) ? ASK_AGAIN_MS : false,
  });
}

/** Refetches displayed requests after each notice, which may tell of a decision, and when the stream tells of the customer's money. */
export function useLiveRequests(): void {
  useOnNotice(() => void reread());
  useEffect(
    () =>
      useSession.subscribe((now, before) => {
        if (now.userInfo?.balances !== before.userInfo?.balances) void reread();
      }),
    [],
  );
}

const reread = () => queryClient.invalidateQueries({ queryKey: REQUESTS });

export async function takeBack({ kind, id }: Request): Promise<void> {
  await post(kind === 'deposit' ? 'recharge/cancel' : 'withdraw/cancel', { id });
  await reread();
}
