import { useRecoveries } from './queries.ts';

export default function RecoveriesCount() {
  const { data, rows, hasNextPage } = useRecoveries('open');
  return data && `${rows.length}${hasNextPage ? '+' : ''}`;
}
