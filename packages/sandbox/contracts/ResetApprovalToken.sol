// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// @title A sandbox token with the two well-known peculiarities of Tether's contract on Ethereum.
/// @notice transfer, transferFrom and approve return nothing, and an allowance that is not zero can only be
/// changed through zero. Integrations that pass against it pass against the real one.
contract ResetApprovalToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    address public immutable owner;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, address owner_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        owner = owner_;
    }

    function mint(address to, uint256 value) external {
        require(msg.sender == owner, "ResetApprovalToken: only the owner mints");
        require(to != address(0), "ResetApprovalToken: mint to the zero address");
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external {
        require(
            value == 0 || allowance[msg.sender][spender] == 0,
            "ResetApprovalToken: set the allowance to zero first"
        );
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "ResetApprovalToken: transfer exceeds allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) private {
        require(to != address(0), "ResetApprovalToken: transfer to the zero address");
        require(balanceOf[from] >= value, "ResetApprovalToken: transfer exceeds balance");
        unchecked {
            balanceOf[from] -= value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }
}
