import { useState } from 'react';
import { useHas } from '../api/queries.ts';
import { BankFiles } from '../bank-files/bank-files.tsx';
import { useText } from '../messages/text-context.tsx';
import { Pills } from '../shell/pills.tsx';
import { StatementImport } from './statement-import.tsx';
import { StatementImports } from './statement-imports.tsx';
import { StatementLines } from './statement-lines.tsx';

const VIEWS = ['open', 'all', 'imports', 'files'] as const;

/** Bank statements: each file is imported once, and each line is matched with its request or explained. */
export default function StatementsPage() {
  const { t } = useText();
  const has = useHas();
  const [view, setView] = useState<(typeof VIEWS)[number]>('open');
  return (
    <div className="page">
      <h1>{t('page.statements')}</h1>
      {has('cashier') && <StatementImport />}
      <Pills
        label={t('statement.which')}
        values={VIEWS}
        value={view}
        nameOf={(one) => t(`statement.${one}`)}
        onChange={setView}
      />
      {view === 'imports' && <StatementImports />}
      {view === 'files' && <BankFiles />}
      {(view === 'open' || view === 'all') && <StatementLines state={view} />}
    </div>
  );
}
