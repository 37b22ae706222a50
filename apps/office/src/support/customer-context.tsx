import { endingOf, stateText } from '@fairtick/protocol/request-states';
import { Tag } from '@fairtick/ui';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ONE_VIEW, useGet } from '../api/queries.ts';
import { fundText } from '../customers/customer-lists.tsx';
import { useText } from '../messages/text-context.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import css from './chats.module.css';

const MOVEMENTS = 8;

/** A customer's balances, open requests and last movements, each fetched once: the customer sees both views. */
export function CustomerContext({ id }: { id: string }) {
  const { t, word, language } = useText();
  const customer = useGet(['look', 'customer', id], 'customer/detail', { id }, ONE_VIEW);
  const funds = useGet(['look', 'movements', id], 'customer/funds', { id, limit: MOVEMENTS }, ONE_VIEW);
  return (
    <aside className={`stack gap-16 ${css.context}`} aria-label={t('chat.context')}>
      <Loaded query={customer}>
        {({ balances, requests }) => (
          <>
            <Rows title={t('customer.balances')}>
              {balances.map(({ asset, available, held }) => (
                <Row key={asset} name={asset} of={readable(available)}>
                  {`${word('balance', 'held')} ${readable(held)}`}
                </Row>
              ))}
            </Rows>
            <Rows title={t('chat.openRequests')}>
              {requests
                .filter(({ status }) => status === 'review')
                .map((one) => (
                  <Row
                    key={`${one.kind} ${one.id}`}
                    name={
                      <Link className="opens" href={`~/${one.kind}s/${one.id}`}>
                        {t(`review.number.${one.kind}`, { id: one.id })}
                      </Link>
                    }
                    of={withAsset(one.amount, one.asset)}
                  >
                    {formatTime(one.submittedAt)}{' '}
                    <Tag>{stateText(one.status, endingOf(one.reason), language)}</Tag>
                  </Row>
                ))}
            </Rows>
          </>
        )}
      </Loaded>
      <Loaded query={funds}>
        {({ items }) => (
          <Rows title={t('chat.movements')}>
            {items.map((entry) => (
              <Row key={entry.id} name={fundText(entry, word)} of={withAsset(entry.amount, entry.asset)}>
                {formatTime(entry.time)}
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </aside>
  );
}

function Rows({ title, children }: { title: string; children: ReactNode[] }) {
  const { t } = useText();
  return (
    <section>
      <h3>{title}</h3>
      {children.length === 0 ? (
        <p className="caption">{t('customer.none')}</p>
      ) : (
        <ul className="stack gap-8">{children}</ul>
      )}
    </section>
  );
}

function Row({ name, of, children }: { name: ReactNode; of: string; children: ReactNode }) {
  return (
    <li>
      <span className="flex between wrap gap-8">
        <span>{name}</span>
        <b>{of}</b>
      </span>
      <span className="caption">{children}</span>
    </li>
  );
}
