import type { StaffRole } from '@fairtick/protocol/office';
import { Tabs, Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { ChangesTable } from './changes-table.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { MemberDialog } from './member-dialog.tsx';
import { type Member, useStaff } from './queries.ts';
import { RulesTable } from './rules-table.tsx';
import css from './staff.module.css';

const NONE: readonly Member[] = [];

type TabName = 'members' | 'changes' | 'rules';

/** Members of staff and their roles, proposed changes, and the rules for four eyes. */
export default function StaffPage() {
  const { t } = useText();
  const me = useMe().data;
  const [tab, setTab] = useState<TabName>('members');
  const [isCreating, setCreating] = useState(false);
  const isAdministrator = me?.roles.some(({ role }) => role === 'administrator') ?? false;
  return (
    <div className="page">
      <div className="head">
        <h1>{t('page.staff')}</h1>
        {isAdministrator && tab === 'members' && (
          <Action onClick={() => setCreating(true)}>{t('staff.create')}</Action>
        )}
      </div>
      <Tabs
        id="staff"
        label={t('page.staff')}
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'members', label: t('staff.members') },
          { value: 'changes', label: t('staff.changes') },
          { value: 'rules', label: t('staff.rules') },
        ]}
      />
      <div role="tabpanel" aria-labelledby={`staff-${tab}`} className="panel">
        {tab === 'members' && <Members isAdministrator={isAdministrator} />}
        {tab === 'changes' && <ChangesTable isAdministrator={isAdministrator} />}
        {tab === 'rules' && <RulesTable />}
      </div>
      <CreateDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </div>
  );
}

function Members({ isAdministrator }: { isAdministrator: boolean }) {
  const { t, word, tag } = useText();
  const staff = useStaff();
  const [openId, setOpenId] = useState<string | null>(null);
  const rows = staff.data ?? NONE;
  const open = rows.find(({ id }) => id === openId) ?? null;
  const columns: Column<Member>[] = [
    { id: 'id', header: t('staff.number'), cell: ({ row }) => row.original.id },
    {
      id: 'account',
      header: t('session.account'),
      cell: ({ row }) => <strong>{row.original.account}</strong>,
    },
    { id: 'name', header: t('staff.name'), cell: ({ row }) => row.original.name },
    { id: 'person', header: t('staff.person'), cell: ({ row }) => row.original.person },
    { id: 'roles', header: t('staff.roles'), cell: ({ row }) => <Roles roles={row.original.roles} /> },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row }) => word('state', row.original.isActive ? 'on' : 'off'),
    },
    {
      id: 'factors',
      header: t('factor.title'),
      cell: ({ row }) => (row.original.factors === 0 ? t('staff.noFactor') : row.original.factors),
      meta: { isNumber: true },
    },
    {
      id: 'login',
      header: t('staff.lastLogin'),
      cell: ({ row: { original } }) =>
        original.lastLoginAt === null ? t('shell.never') : formatTime(original.lastLoginAt, tag),
    },
  ];
  return (
    <>
      <DataTable
        caption={t('staff.members')}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        openId={openId}
        {...(isAdministrator ? { onOpen: (member: Member) => setOpenId(member.id) } : {})}
        empty={staff.isPending ? t('shell.loading') : t('shell.networkError')}
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
