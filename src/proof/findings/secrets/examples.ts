// Values that stand in public documentation and open nothing. Kept as digests, so that this file does not look like a leak.

/** SHA-256 of the value → where it is documented. */
export const DOCUMENTED_EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['7f75367e7881255134e1375e723d1dea8ad5f6a4fdb79d938df1f1754a830606', 'the token of the JWT debugger'],
  ['da816f9f2c16e6c5390e7636cadc40c43551bf0bbcf8f36c65539e6633a9c5e8', 'the older token of the JWT debugger'],
  ['2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326', 'the test key in the Stripe documentation'],
  ['f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397', 'the older test key in the Stripe documentation'],
  ['0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059', 'the account key of the Azure storage emulator'],
  ['aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615', 'the account key of the Azure Cosmos emulator'],
  ['e4da07ad200089ce7f40110f02910677ae48b4134c1df10b4350062fcb9a32b3', '"username:password" in base64'],
  ['cf4d418ed3de92d71f767db5391d5a2dacd40e1ce49e75d1137e2ecf4982d844', 'the credentials of RFC 7617'],
  ['bdfeaef44475711c3abaf41d3ddd35322152714fb6709850571bad470033c478', '"user:password" in base64'],
  ['b8e148545b13c78bc74da2f1a7275dd71e56ddece129d7d2f7b3ecc06f7994da', 'the bearer token of RFC 6750'],
  ['5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8', 'the word "password"'],
  ['a942b37ccfaf5a813b1432caa209a43b9d144e47ad0de1549c289c253e556cd5', 'the word "postgres"'],
  ['84983c60f7daadc1cb8698621f802c0d9f9a3c3c295c810748fb048115c186ec', 'the word "guest"'],
  ['4813494d137e1631bba301d5acab6e7bb7aa74ce1185d456565ef51d737677b2', 'the word "root"'],
  ['8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918', 'the word "admin"'],
  ['ad9858116e63b0c5a4d7dc7f50f034c7247e56838dae22c1832712ffde48e694', 'the word "minioadmin"'],
  ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'the word "test"'],
  ['d74ff0ee8da3b9806b18c877dbf29bbde50b5bd8e4dad7a3a725000feb82e8f1', 'the word "pass"'],
  ['2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b', 'the word "secret"'],
  ['430005175c4c7810996d3481f0dbc3ec01103d6abcc5beec5db4b3f1eae35047', 'the word "mysql"'],
])
