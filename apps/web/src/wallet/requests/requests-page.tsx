import { useEffect, useMemo } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { useText } from '../../messages/text-context.tsx';
import { QueryFault } from '../../parts/loaded.tsx';
import { pageOf } from '../../parts/page.tsx';
import { useNavbar } from '../../shell/navbar.tsx';
import { RecordSkeletons } from '../parts/record-list.tsx';
import { RequestView } from '../parts/request-view.tsx';
import { type Kind, useRequest } from '../parts/requests.ts';
import { RequestList } from './request-list.tsx';
import { readDetail } from './requests-model.ts';

/** `/accessLog`: deposits and withdrawals; with `?deposit=` or `?withdrawal=` one of them. */
export default pageOf('wallet', Requests);

function Requests() {
  const search = useSearch();
  const detail = readDetail(search);
  return (
    <>
      <div hidden={detail !== null}>
        <RequestList search={search} isShown={detail === null} />
      </div>
      {detail !== null && <AccessDetail key={`${detail.kind}${detail.id}`} {...detail} />}
    </>
  );
}

function AccessDetail({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useText();
  const query = useRequest(kind, id);
  useNavbar(
    useMemo(() => ({ title: t(kind === 'deposit' ? 'requests.deposit' : 'requests.withdrawal') }), [t, kind]),
  );
  useEffect(() => {
    document.querySelector('[data-view=accessLog] main')?.scrollTo(0, 0);
  }, []);
  if (query.isPending) return <RecordSkeletons />;
  if (!query.data) return <QueryFault error={query.error} onAgain={() => void query.refetch()} />;
  return <RequestView request={query.data} />;
}
