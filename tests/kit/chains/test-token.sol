// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// A token of tests and of `npm run demo-chain`. Everybody may make some, so it is worth nothing. It may keep a share of each
/// transfer, and then log the whole value all the same, as bad tokens do.
contract TestToken {
  string public constant name = "Test USDT";
  string public constant symbol = "USDT";
  uint8 public constant decimals = 6;
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  uint256 private immutable keptPercent;
  bool private immutable logsWhole;

  event Transfer(address indexed from, address indexed to, uint256 value);

  constructor(uint256 _keptPercent, bool _logsWhole) {
    keptPercent = _keptPercent;
    logsWhole = _logsWhole;
  }

  function mint(address to, uint256 value) external {
    totalSupply += value;
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
  }

  function transfer(address to, uint256 value) external returns (bool) {
    uint256 kept = value * keptPercent / 100;
    balanceOf[msg.sender] -= value;
    balanceOf[to] += value - kept;
    totalSupply -= kept;
    emit Transfer(msg.sender, to, logsWhole ? value : value - kept);
    return true;
  }
}
