const BLOCK_DEVICE = /^\/dev\/(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper\/|nbd\d|sr\d|zram\d)/

/** Whether writing here overwrites a whole disk. */
export function isBlockDevice(path: string): boolean {
  return BLOCK_DEVICE.test(path)
}
