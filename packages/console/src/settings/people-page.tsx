import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.js'
import type { Invitation, Member } from '../api/types.js'
import { PageFrame } from '../shell/layout.js'
import { type Role, roleLabel, roles, roleTexts } from '../shell/roles.js'
import { useProject, useSession } from '../shell/session.js'
import { useSignInOptions } from '../sign-in/provider.js'
import { useText } from '../text/text.js'
import { Button } from '../ui/button.js'
import { CopyDialog } from '../ui/copy-dialog.js'
import { FormDialog } from '../ui/dialog.js'
import { Select, TextField } from '../ui/field.js'
import { useLacks } from '../ui/lacks.js'
import { ErrorNote, Note, Skeleton, useToast } from '../ui/states.js'
import { Second, Table } from '../ui/table.js'
import { usePasswordAgain } from './password-field.js'
import css from './settings.module.css'

type Within = Member['within']

/** Only owners make owners. */
const useGrantable = (): readonly Role[] => {
  const { may } = useProject()
  return roles.filter((role) => role !== 'owner' || may('owners.edit'))
}

const useReload = () => {
  const { projectId } = useProject()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: [projectId, 'people'] })
}

const RoleSelect = ({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }) => {
  const { say } = useText()
  const options = useGrantable().map((role) => ({ value: role, label: say(roleLabel(role)) }))
  return <Select label={say('role')} options={options} value={value} onChange={onChange} note={say(roleTexts[value])} />
}

const InviteDialog = ({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void
  readonly onInvited: (invitation: Invitation) => void
}) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('writer')
  const [chosen, setWithin] = useState<Within>('project')
  const within = role === 'owner' ? 'account' : chosen
  const { isMissing, proof, field } = usePasswordAgain()
  return (
    <FormDialog
      title={say('invite')}
      isOpen
      onClose={onClose}
      submit={say('inviteDo')}
      why={lacks({ [say('email')]: !email.includes('@'), [say('currentPassword')]: isMissing })}
      onSubmit={async () =>
        onInvited(
          await call(projectId, 'post', '/people/invitations', {
            body: { email: email.trim(), role, within, ...proof },
          }),
        )
      }
    >
      {(problemAt) => (
        <>
          <TextField
            label={say('email')}
            type="email"
            value={email}
            onChange={setEmail}
            error={problemAt('email')}
            autoComplete="off"
            autoFocus
            dense
          />
          <RoleSelect value={role} onChange={setRole} />
          <Select
            label={say('withinLabel')}
            options={[
              { value: 'project', label: say('withinProject'), isDisabled: role === 'owner' },
              { value: 'account', label: say('withinAccount') },
            ]}
            value={within}
            onChange={setWithin}
            dense
          />
          {field}
        </>
      )}
    </FormDialog>
  )
}

const ChangeDialog = ({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const reload = useReload()
  const toast = useToast()
  const [role, setRole] = useState<Role>(member.role)
  const { isMissing, proof, field } = usePasswordAgain()
  return (
    <FormDialog
      title={say('changeRoleTitle', { name: member.name })}
      isOpen
      onClose={onClose}
      submit={say('save')}
      why={role === member.role ? say('nothingChanged') : lacks({ [say('currentPassword')]: isMissing })}
      onSubmit={async () => {
        await call(projectId, 'patch', '/people/{personId}', {
          params: { personId: member._id },
          body: { role, ...proof },
        })
        toast(say('saved'))
        await reload()
      }}
    >
      <RoleSelect value={role} onChange={setRole} />
      {field}
    </FormDialog>
  )
}

const RemoveDialog = ({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) => {
  const { say } = useText()
  const lacks = useLacks()
  const { projectId } = useProject()
  const reload = useReload()
  const toast = useToast()
  const { name } = member
  const { isMissing, proof, field } = usePasswordAgain()
  return (
    <FormDialog
      title={say('removeMemberTitle', { name })}
      isOpen
      onClose={onClose}
      submit={say('removeDo')}
      why={lacks({ [say('currentPassword')]: isMissing })}
      danger
      onSubmit={async () => {
        await call(projectId, 'delete', '/people/{personId}', { params: { personId: member._id }, body: proof })
        toast(say('removed', { name }))
        await reload()
      }}
    >
      <p>{say(member.within === 'project' ? 'removeFromProject' : 'removeFromAccount', { name })}</p>
      {member.byProvider && <p>{say('removeByProvider')}</p>}
      {field}
    </FormDialog>
  )
}

const Roles = () => {
  const { say } = useText()
  return (
    <section className={css.section}>
      <h2>{say('rolesTitle')}</h2>
      <dl className={css.roles}>
        {roles.flatMap((role) => [
          <dt key={role}>{say(roleLabel(role))}</dt>,
          <dd key={`${role} text`}>{say(roleTexts[role])}</dd>,
        ])}
      </dl>
    </section>
  )
}

export const PeoplePage = () => {
  const { say, date, dateTime } = useText()
  const { projectId, may } = useProject()
  const { person } = useSession()
  const { provider = '', passwords = true } = useSignInOptions() ?? {}
  const reload = useReload()
  const toast = useToast()
  const [isInviting, setInviting] = useState(false)
  const [invited, setInvited] = useState<Invitation>()
  const [changed, setChanged] = useState<Member>()
  const [removed, setRemoved] = useState<Member>()
  const isAllowed = may('people.edit')
  const { data, error, refetch } = useQuery({
    queryKey: [projectId, 'people'],
    queryFn: ({ signal }) => call(projectId, 'get', '/people', { signal }),
    enabled: isAllowed,
  })
  if (!isAllowed)
    return (
      <PageFrame title={say('team')}>
        <Note>{say('errorForbidden')}</Note>
      </PageFrame>
    )
  const where = (within: Within) => say(within === 'project' ? 'withinProject' : 'withinAccount')
  const cancel = async ({ _id, email }: Invitation) => {
    await call(projectId, 'delete', '/people/invitations/{id}', { params: { id: _id } })
    toast(say('invitationCancelled', { email }))
    await reload()
  }
  return (
    <PageFrame
      title={say('team')}
      actions={
        passwords && (
          <Button kind="primary" icon="plus" onPress={() => setInviting(true)}>
            {say('invite')}
          </Button>
        )
      }
    >
      {error ? (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : (
        <Table<Member>
          label={say('team')}
          rows={data.people}
          keyOf={({ _id, within }) => `${_id} ${within}`}
          nameOf={({ name }) => name}
          columns={[
            {
              id: 'name',
              label: say('name'),
              cell: ({ _id, email }) => <Second>{_id === person._id ? `${email} (${say('you')})` : email}</Second>,
            },
            {
              id: 'role',
              label: say('role'),
              cell: ({ role, byProvider }) => (
                <>
                  {say(roleLabel(role))}
                  {byProvider && <Second>{say('roleByProvider', { provider })}</Second>}
                </>
              ),
            },
            { id: 'within', label: say('withinLabel'), cell: ({ within }) => where(within) },
            { id: 'factor', label: say('factor'), cell: ({ totp }) => say(totp ? 'yes' : 'no') },
            { id: 'since', label: say('memberSince'), isShort: true, cell: ({ since }) => date(since) },
          ]}
          menuOf={(member) =>
            member.role === 'owner' && !may('owners.edit')
              ? []
              : [
                  ...(member.byProvider
                    ? []
                    : [
                        {
                          id: 'role',
                          label: say('changeRole'),
                          icon: 'pencil',
                          onAction: () => setChanged(member),
                        } as const,
                      ]),
                  {
                    id: 'remove',
                    label: say('removeMember'),
                    icon: 'trash',
                    danger: true,
                    onAction: () => setRemoved(member),
                  },
                ]
          }
        />
      )}
      {data && data.invitations.length > 0 && (
        <section className={css.section}>
          <h2>{say('invitations')}</h2>
          <Table<Invitation>
            label={say('invitations')}
            rows={data.invitations}
            keyOf={({ _id }) => _id}
            nameOf={({ email }) => email}
            columns={[
              { id: 'email', label: say('email'), cell: () => null },
              { id: 'role', label: say('role'), cell: ({ role }) => say(roleLabel(role)) },
              { id: 'within', label: say('withinLabel'), cell: ({ within }) => where(within) },
              { id: 'expires', label: say('expires'), isShort: true, cell: ({ expiresAt }) => dateTime(expiresAt) },
            ]}
            menuOf={(invitation) => [
              {
                id: 'cancel',
                label: say('cancelInvitation'),
                icon: 'close',
                danger: true,
                onAction: () => void cancel(invitation).catch(() => reload()),
              },
            ]}
          />
        </section>
      )}
      <Roles />
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(invitation) => {
            if (invitation.link === undefined) toast(say('invitationMailed', { email: invitation.email }))
            else setInvited(invitation)
            void reload()
          }}
        />
      )}
      {invited && (
        <CopyDialog
          title={say('inviteLinkTitle')}
          text={say('inviteLinkText', { email: invited.email })}
          value={invited.link}
          onClose={() => setInvited(undefined)}
        />
      )}
      {changed && <ChangeDialog member={changed} onClose={() => setChanged(undefined)} />}
      {removed && <RemoveDialog member={removed} onClose={() => setRemoved(undefined)} />}
    </PageFrame>
  )
}
