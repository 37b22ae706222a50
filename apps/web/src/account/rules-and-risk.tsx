import { Button, Notice, Skeleton } from '@fairtick/ui';
import { Queries } from '../api/query-client.tsx';
import { faultText } from '../api/tell-fault.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { OrderRules } from '../trade/rules-dialog.tsx';
import css from './account.module.css';

/** The rules are the same for all products; those of this one are read. */
const ANY_PRODUCT = 'EUR/USD';

export default function RulesAndRisk({ part, riskText }: { part: 'rules' | 'risk'; riskText: string }) {
  if (part === 'risk') return <p className={css.sheetText}>{riskText}</p>;
  return (
    <Queries>
      <Rules />
    </Queries>
  );
}

function Rules() {
  const { t, language } = useText();
  const { data, error, refetch } = useAnswer('product/detail', { symbol: ANY_PRODUCT, language });
  if (data) return <OrderRules rules={data.rules} />;
  if (!error) return <Skeleton width="100%" height={320} />;
  return (
    <Notice>
      {faultText(error, t)}{' '}
      <Button size="small" onClick={() => void refetch()}>
        {t('list.again')}
      </Button>
    </Notice>
  );
}
