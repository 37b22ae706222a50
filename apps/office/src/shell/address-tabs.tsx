import { Tabs } from '@fairtick/ui';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';

/** The parts of a page as tabs. The address names the open one; the first has the page's own address. */
export function AddressTabs({
  id,
  label,
  tabs,
}: {
  id: string;
  label: string;
  tabs: Readonly<Record<string, { readonly label: string; readonly part: ReactElement }>>;
}) {
  const [location, navigate] = useLocation();
  const names = Object.keys(tabs);
  const [first = ''] = names;
  const open = names.find((name) => location === `/${name}`) ?? first;
  return (
    <>
      <Tabs
        id={id}
        label={label}
        value={open}
        onChange={(name) => navigate(name === first ? '/' : `/${name}`)}
        tabs={Object.entries(tabs).map(([value, tab]) => ({ value, label: tab.label }))}
      />
      <div role="tabpanel" aria-labelledby={`${id}-${open}`} className="panel">
        {tabs[open]?.part}
      </div>
    </>
  );
}
