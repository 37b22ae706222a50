import type { StaffRole } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { AddressTabs } from '../shell/address-tabs.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { formatTime } from '../state/format.ts';
import { ChangesTable } from './changes-table.tsx';
import { CreateAction } from './create-action.tsx';
import { MemberDialog } from './member-dialog.tsx';
import { type Member, useStaff } from './queries.ts';
import { RulesTable } from './rules-table.tsx';
import css from './staff.module.css';

/** Members of staff and their roles, proposed changes, and the rules for four eyes. */
export default function StaffPage() {
  const { t } = useText();
  const [location] = useLocation();
  const isAdministrator = useHas()('administrator');
  return (
    <div className="page">
      <div className="head">
        <h1>{t('page.staff')}</h1>
        {isAdministrator && location === '/' && <CreateAction />}
      </div>
      <AddressTabs
        id="staff"
        label={t('page.staff')}
        tabs={{
          members: { label: t('staff.members'), part: <Members isAdministrator={isAdministrator} /> },
          changes: {
            label: t('staff.changes'),
            part: <ChangesTable isAdministrator={isAdministrator} />,
          },
          rules: { label: t('staff.rules'), part: <RulesTable /> },
        }}
      />
    </div>
  );
}

function Members({ isAdministrator }: { isAdministrator: boolean }) {
  const { t, word } = useText();
  const staff = useStaff();
  const [openId, setOpenId] = useState<string | null>(null);
  const open = staff.data?.find(({ id }) => id === openId) ?? null;
  const columns: Column<Member>[] = [
    { header: t('staff.number'), cell: ({ id }) => id },
    { header: t('session.account'), cell: ({ account }) => <strong>{account}</strong> },
    { header: t('staff.name'), cell: ({ name }) => name },
    { header: t('staff.person'), cell: ({ person }) => person },
    { header: t('staff.roles'), cell: ({ roles }) => <Roles roles={roles} /> },
    { header: t('staff.state'), cell: ({ isActive }) => word('state', isActive ? 'on' : 'off') },
    {
      header: t('factor.title'),
      cell: ({ factors }) => (factors === 0 ? t('staff.noFactor') : factors),
      isNumber: true,
    },
    {
      header: t('staff.lastLogin'),
      cell: ({ lastLoginAt }) => (lastLoginAt === null ? t('shell.never') : formatTime(lastLoginAt)),
    },
  ];
  return (
    <>
      <DataTable
        caption={t('staff.members')}
        columns={columns}
        list={staff}
        none=""
        openId={openId}
        onOpen={isAdministrator ? ({ id }) => setOpenId(id) : undefined}
      />
      <MemberDialog member={open} onClose={() => setOpenId(null)} />
    </>
  );
}

/** Marks a role that can't approve yet. */
function Roles({ roles }: { roles: Member['roles'] }) {
  const { t, word } = useText();
  if (roles.length === 0) return t('staff.noRole');
  return (
    <span className={css.tags}>
      {roles.map(({ role, usableFrom }: { role: StaffRole; usableFrom: number }) => (
        <Tag key={role}>
          {word('role', role)}
          {usableFrom > Date.now() && `, ${t('staff.waits')}`}
        </Tag>
      ))}
    </span>
  );
}
