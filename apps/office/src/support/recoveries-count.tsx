import { useRecoveries } from './queries.ts';

export default function RecoveriesCount() {
  const { data, hasNextPage } = useRecoveries('open');
  if (data === undefined) return null;
  return `${data.pages.flatMap(({ items }) => items).length}${hasNextPage ? '+' : ''}`;
}
