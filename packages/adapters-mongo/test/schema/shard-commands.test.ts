import { expect, it } from 'vitest'
import { shardCommands } from '../../src/index.js'

it('the commands for a router shard what grows, in the database that the address names', () => {
  const commands = shardCommands('mongodb://ada:secret@a,b/letters?replicaSet=rs')
  expect(commands).toContain('sh.enableSharding("letters")')
  expect(commands).toContain('sh.shardCollection("letters.deliveries", {"dispatchId":"hashed","_id":1})')
  expect(commands.join()).not.toContain('secret')
  expect(shardCommands('mongodb://a')[0]).toBe('sh.enableSharding("posthorn")')
})
