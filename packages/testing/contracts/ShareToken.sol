// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// @title A token whose holders own shares of a pool, with the arithmetic of Lido's stETH.
/// @notice What is shown and transferred is a share of `totalPooled`, rounded down each time, so a transfer of n takes and
/// brings up to two units less. Its storage is laid out as that of the sandbox's tokens: its code can take the place of
/// theirs, balances are shares from then on, allowances stay.
contract ShareToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint256 public totalShares;
    mapping(address => uint256) public sharesOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalPooled;
    uint8 public constant decimals = 18;

    function totalSupply() external view returns (uint256) {
        return totalPooled;
    }

    function balanceOf(address account) public view returns (uint256) {
        return pooledByShares(sharesOf[account]);
    }

    function sharesByPooled(uint256 value) public view returns (uint256) {
        return value * totalShares / totalPooled;
    }

    function pooledByShares(uint256 shares) public view returns (uint256) {
        return shares * totalPooled / totalShares;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "ALLOWANCE_EXCEEDED");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        uint256 shares = sharesByPooled(value);
        require(sharesOf[from] >= shares, "BALANCE_EXCEEDED");
        sharesOf[from] -= shares;
        sharesOf[to] += shares;
        emit Transfer(from, to, value);
    }
}
